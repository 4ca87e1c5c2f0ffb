"$habitat" record --boundary mark -- true
"$habitat" record --no-modules -- true
