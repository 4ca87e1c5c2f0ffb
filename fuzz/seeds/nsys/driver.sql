-- range layer
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO StringIds VALUES (1, 'sgemm'), (2, 'void sgemm<float>(int)'), (3, 'cuLaunchKernel'), (4, 'habitat_iteration'), (5, 'layer'), (6, 'cudaGraphLaunch_v10000'), (7, 'ncclDevKernel_AllReduce');
CREATE TABLE TARGET_INFO_GPU (vmId INT, id INT, name TEXT, totalMemory INT, smCount INT, computeMajor INT, computeMinor INT, maxWarpsPerSm INT, threadsPerWarp INT, maxRegistersPerSm INT, maxShmemPerSm INT, maxShmemPerBlockOptin INT);
INSERT INTO TARGET_INFO_GPU VALUES (1, 0, 'NVIDIA H100 80GB HBM3', 85899345920, 132, 9, 0, 64, 32, 65536, 233472, 232448), (1, 1, 'NVIDIA T4', 1, 40, 7, 5, 32, 32, 65536, 65536, 65536);
CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INT, cudaId INT, pid INT);
INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (1, 0, 3), (0, 1, 3);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, contextId INT, greenContextId INT, streamId INT, correlationId INT, globalPid INT, demangledName INT, shortName INT, mangledName INT, registersPerThread INT, gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT, staticSharedMemory INT, dynamicSharedMemory INT, graphNodeId INT);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (5000, 7500, 1, 1, NULL, 7, 1, 50331648, 2, 1, NULL, 96, 4, 5, 6, 256, 1, 1, 1024, 2048, NULL),(6000, 7000, 1, 1, NULL, 8, 1, 83886080, 7, 7, NULL, 32, 1, 1, 1, 64, 1, 1, 0, 0, NULL),(9000, 9100, 1, 1, NULL, 7, 2, 50331648, 1, 1, NULL, 32, 1, 1, 1, 64, 1, 1, 0, 0, 77);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT, streamId INT, correlationId INT, globalPid INT, bytes INT, copyKind INT);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (4000, 4200, 1, 7, 3, 50331648, 4096, 1);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INT, end INT, deviceId INT, streamId INT, correlationId INT, globalPid INT, bytes INT);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (4300, 4400, 1, 7, 4, 50331648, 64);
CREATE TABLE CUPTI_ACTIVITY_KIND_DRIVER (start INT, end INT, eventClass INT, globalTid INT, correlationId INT, nameId INT, returnValue INT);
INSERT INTO CUPTI_ACTIVITY_KIND_DRIVER VALUES (2100, 2200, 0, 50331652, 1, 3, 0), (2150, 2160, 0, 83886086, 1, 3, 0), (2300, 2400, 0, 50331652, 2, 6, 0);
CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, rangeId INT, text TEXT, globalTid INT, textId INT, domainId INT);
INSERT INTO NVTX_EVENTS VALUES (2000, 3000, 59, NULL, NULL, 50331652, 4, 0), (2050, 2250, 59, NULL, NULL, 50331652, 5, 0), (2060, NULL, 34, NULL, 'mark', 50331652, NULL, 0), (2070, NULL, 59, NULL, 'never ended', 50331652, NULL, 0);
