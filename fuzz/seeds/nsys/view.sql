CREATE TABLE StringIds (id INTEGER, value TEXT);
INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'relu'), (3, 'cudaLaunchKernel');
CREATE TABLE raw (a);
CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT a AS start, abs(-9223372036854775808) AS end, 0 AS deviceId, 7 AS streamId, 1 AS correlationId, 1 AS demangledName, 1 AS gridX, 1 AS gridY, 1 AS gridZ, 1 AS blockX, 1 AS blockY, 1 AS blockZ FROM raw;
INSERT INTO raw VALUES (1);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, correlationId INT, nameId INT);
