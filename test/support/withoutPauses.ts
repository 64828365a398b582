/*
 * Nobody waits for n8n's `sleep`. The record of payments pauses for other processes, which
 * test/unit/idempotency has. Imported first, so that the nodes get this one.
 */
jest.mock('n8n-workflow', () => ({
	...jest.requireActual<object>('n8n-workflow'),
	sleep: async () => {},
}));
