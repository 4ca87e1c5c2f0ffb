# A typing error is told before a file is read.
"$habitat" predict no-such-file --to V1000
