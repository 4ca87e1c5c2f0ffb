"$habitat" record --boundary mark -- true
