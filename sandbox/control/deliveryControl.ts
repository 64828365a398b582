import type { FastifyInstance } from 'fastify';

import type { Service } from '../service';
import { bodyOf } from './body';

/** Webhook endpoints, events on demand, and the log of what was delivered. */
export function addDeliveryControl(app: FastifyInstance, service: Service): void {
	app.get('/sandbox/endpoints', async () => ({ endpoints: service.deliveries.endpoints() }));
	app.post('/sandbox/endpoints', async (request) => service.deliveries.register(bodyOf(request)));
	app.delete('/sandbox/endpoints', async () => {
		service.deliveries.forgetEndpoints();
		return { forgotten: true };
	});
	app.get('/sandbox/deliveries', async () => ({ deliveries: service.deliveries.log() }));
	app.delete('/sandbox/deliveries', async () => {
		service.deliveries.clearLog();
		return { cleared: true };
	});
}
