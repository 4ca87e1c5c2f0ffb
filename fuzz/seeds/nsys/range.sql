-- range step
CREATE TABLE StringIds (id INTEGER, value TEXT);
INSERT INTO StringIds VALUES (9, 'relu'), (2, 'cudaLaunchKernel');
CREATE TABLE TARGET_INFO_GPU (id INT, name TEXT);
INSERT INTO TARGET_INFO_GPU VALUES (0, 'Tesla V100-SXM2-16GB');
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, contextId INT,streamId INT, correlationId INT, demangledName INT, shortName INT, registersPerThread INT, gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (50, 60, 0, 1, 7, 1, 9, 9, 16, 1, 1, 1, 32, 1, 1);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, correlationId INT, nameId INT);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (20, 25, 50331652, 1, 2);
CREATE TABLE NVTX_EVENTS (start INT, end INT, text TEXT, globalTid INT);
INSERT INTO NVTX_EVENTS VALUES (10, 30, 'forward', 50331652);
