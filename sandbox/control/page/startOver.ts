import type { ResetState } from '../../resets';
import { call } from './control';
import { button, byId, report, timeOf } from './elements';

const isBehind = ({ resets, followed }: ResetState): boolean =>
	followed !== undefined && followed.resets !== resets;

function textOf(state: ResetState): string {
	const { at, followed } = state;
	if (at === undefined) return '';
	const started = `Started over at ${timeOf(at)}.`;
	if (followed === undefined) return started;
	if (isBehind(state)) return `${started} n8n is restarting. Links to the examples wait for it.`;
	const seconds = Math.ceil((Date.parse(followed.at) - Date.parse(at)) / 1_000);
	return `${started} n8n was back after ${seconds} seconds.`;
}

let known: number | undefined;
let isReloading = false;

/** Shows how starting over goes on, and empties the page where it has begun, here or elsewhere. */
export function followResets(state: ResetState): void {
	/* Reloading once more would begin again, and a slow page would never come. */
	if (isReloading) return;
	if (known !== undefined && known !== state.resets) {
		isReloading = true;
		scrollTo(0, 0);
		location.reload();
		return;
	}
	known = state.resets;
	const line = byId('started-over', HTMLElement);
	// A screen reader reads out what is written into it, changed or not.
	if (line.textContent !== textOf(state)) line.textContent = textOf(state);
	byId('question-n8n', HTMLElement).hidden = state.followed === undefined;
	button('start-over').disabled = isBehind(state);
}

/** Sets up the button that starts over, and its question. */
export function setUpStartOver(refresh: () => Promise<void>): void {
	const question = byId('question', HTMLDialogElement);
	button('start-over').addEventListener('click', () => question.showModal());
	button('keep').addEventListener('click', () => question.close());
	button('reset').addEventListener('click', () => {
		question.close();
		const work = async (): Promise<string> => {
			await call('POST', 'reset', { keepEndpoints: true });
			return 'Starting over.';
		};
		void report('started-over', work).then(refresh);
	});
}
