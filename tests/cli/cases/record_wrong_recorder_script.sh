"$habitat" record --nvtx-range step train.py
