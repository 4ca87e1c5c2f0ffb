mkdir d; "$habitat" info d
