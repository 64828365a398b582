import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

import { ServiceFailure } from '../failure';
import type { SimulatedService } from '../simulatedService';
import { addDeskControl } from './deskControl';
import { addDeliveryControl } from './deliveryControl';
import { addOrganisationControl } from './organisationControl';
import { addPracticeControl } from './practiceControl';
import { readPage } from './readPage';
import { addServiceControl } from './serviceControl';

/** Routes under /sandbox, which make things happen and show what happened. */
export function addControl(app: FastifyInstance, service: SimulatedService): void {
	app.register(async (control) => {
		control.setErrorHandler(async (error, _request, reply) => {
			const isBadRequest = error instanceof z.ZodError || error instanceof SyntaxError;
			const message = error instanceof Error ? error.message : 'Unknown error';
			const status = error instanceof ServiceFailure ? error.status : isBadRequest ? 400 : 500;
			await reply.code(status).send({ error: message });
		});
		control.get('/sandbox', async (_request, reply) => {
			const { html, contentSecurityPolicy } = await readPage();
			await reply
				.header('content-type', 'text/html; charset=utf-8')
				.header('content-security-policy', contentSecurityPolicy)
				.send(html);
		});
		addServiceControl(control, service);
		addDeliveryControl(control, service);
		addOrganisationControl(control, service);
		addPracticeControl(control, service);
		addDeskControl(control, service);
	});
}
