"$habitat" record --iteration 3 train.py
