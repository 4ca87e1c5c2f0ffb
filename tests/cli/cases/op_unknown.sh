"$habitat" op gmem --m 4
