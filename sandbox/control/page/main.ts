import type { DeliveryAttempt, Endpoint } from '../../deliveries';
import type { ResetState } from '../../resets';
import type { WireLogEntry } from '../../wireLog';
import { showDeliveries, showRequests } from './activity';
import { call } from './control';
import { byId } from './elements';
import { showIdentifiers } from './identifiers';
import { refreshInbox } from './inbox';
import { refreshPayments, setUpPayments } from './payments';
import { refreshChanges, setUpFailures, setUpChanges } from './changes';
import { refreshSheet, setUpSheet } from './sheet';
import { followResets, setUpStartOver } from './startOver';
import { setUpWebhooks, showEndpoints } from './webhooks';

const REFRESH_MILLISECONDS = 1_000;

let knownEndpoints = '';

async function refreshOnce(): Promise<void> {
	const [resets, { deliveries }, { entries }, { endpoints }, { faults }] = await Promise.all([
		call<ResetState>('GET', 'reset'),
		call<{ deliveries: DeliveryAttempt[] }>('GET', 'deliveries?limit=40'),
		call<{ entries: WireLogEntry[] }>('GET', 'log?limit=40'),
		call<{ endpoints: Endpoint[] }>('GET', 'endpoints'),
		call<{ faults: unknown[] }>('GET', 'faults'),
	]);
	followResets(resets);
	showDeliveries(deliveries);
	showRequests(entries);
	// A person may be choosing from the menu.
	const state = JSON.stringify(endpoints);
	if (state !== knownEndpoints) showEndpoints(endpoints);
	knownEndpoints = state;
	byId('planned', HTMLElement).textContent =
		faults.length === 0 ? '' : `Failures waiting for a call: ${faults.length}.`;
	await Promise.all([refreshChanges(), refreshInbox(), refreshSheet(), refreshPayments()]);
}

let refreshed = Promise.resolve();

/** Shows the state as it is from now on: one after the other, since answers that come late are old. */
async function refresh(): Promise<void> {
	refreshed = refreshed.then(refreshOnce, refreshOnce);
	await refreshed;
}

/** Shows the current state, and whether there is one to show. */
async function keepFresh(): Promise<void> {
	byId('offline', HTMLElement).hidden = await refresh().then(
		() => true,
		() => false,
	);
	setTimeout(() => void keepFresh(), REFRESH_MILLISECONDS);
}

setUpChanges(refresh);
setUpFailures(refresh);
setUpStartOver(refresh);
setUpPayments();
setUpSheet();
// On a phone, what follows the requests would be far away.
byId('requests-fold', HTMLDetailsElement).open = !matchMedia('(max-width: 44rem)').matches;
void Promise.all([showIdentifiers(), setUpWebhooks(refresh)]).finally(() => void keepFresh());
