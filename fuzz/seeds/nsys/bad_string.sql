CREATE TABLE StringIds (id INTEGER, value TEXT);
INSERT INTO StringIds VALUES ('a', 'gemm'), (2, NULL), (2, 'again'), (-1, 'n');
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId INT, streamId INT, correlationId INT, demangledName INT, gridX, gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (50, 60, 0, 7, 0, 1, 1, 1, 1, 32, 1, 1), (150, 160, 0, 7, 1, 2, 1, 1, 1, 32, 1, 1);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, correlationId INT, nameId INT);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 15, 16777217, 0, 3), (110, 115, 16777217, 1, 3);
