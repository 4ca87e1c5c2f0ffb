HABITAT_PYTHON=/no/such/python "$habitat" record train.py
