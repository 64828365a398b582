import { ENDPOINTS } from '../contract/endpoints';
import { linesOf } from './lines';

/** What other nodes may send: an exact path, or how it begins. */
interface OtherRequest {
	readonly method: string;
	readonly path: string;
	readonly isBeginning: boolean;
}

const METHODS = 'DELETE|GET|HEAD|PATCH|POST|PUT';
const LINE = new RegExp(`^(${METHODS})\\s+(/[\\w.~/@:-]*)(\\*?)$`);

/**
 * What may follow where a listed path ends in `*`: nothing that a server could read as another path,
 * such as an escaped slash.
 */
const REST = /^(?:[\w~@:-][\w.~@:-]*(?:\/|$))*$/;

/** Whether a path of this form can be, or begin with, the listed one. */
function overlaps(form: string, { path, isBeginning }: OtherRequest): boolean {
	const steps = form.split('/');
	const listed = path.split('/');
	if (isBeginning ? listed.length > steps.length : listed.length !== steps.length) return false;
	return listed.every((step, index) => {
		const own = steps[index] ?? '';
		const isLast = index === listed.length - 1;
		return own.startsWith('{') || (isLast && isBeginning ? own.startsWith(step) : own === step);
	});
}

/**
 * The operation of ours that a request is or may be. Some servers read paths in any case, with doubled
 * slashes, or with one at the end.
 */
function ownOf({ method, path: given, isBeginning }: OtherRequest) {
	const single = given.toLowerCase().replace(/\/{2,}/g, '/');
	const path = isBeginning ? single : single.replace(/\/$/, '');
	return Object.values(ENDPOINTS).find(
		(each) => each.method === method && overlaps(each.path, { method, path, isBeginning }),
	);
}

/** *Other Nodes May Also Send*: a method and a path on each line, without what our operations send. */
export const otherRequests = linesOf<OtherRequest>((line) => {
	const [, method = '', path = '', star = ''] = LINE.exec(line) ?? [];
	if (method === '') {
		return { fault: 'write a method and a path, e.g. POST /v2/payments/prepare' };
	}
	const request = { method, path, isBeginning: star !== '' };
	const own = ownOf(request);
	if (own === undefined) return { value: request };
	return { fault: `${own.method} ${own.path} is for the Payroll Payments node only` };
});

/** Whether a request is one of those that were listed. */
export function isAmong(
	listed: readonly OtherRequest[],
	{ method, path: sent }: { readonly method: string; readonly path: string },
): boolean {
	if (ownOf({ method, path: sent, isBeginning: false }) !== undefined) return false;
	return listed.some((each) => {
		if (each.method !== method) return false;
		if (!each.isBeginning) return sent === each.path;
		return sent.startsWith(each.path) && REST.test(sent.slice(each.path.length));
	});
}
