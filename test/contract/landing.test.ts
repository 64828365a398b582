import { Landing } from '../../practice/landing';
import { listPage } from '../../practice/landingPages';

/* The links of `npm start`. test/e2e/start.test.ts follows them in a real n8n. */

it('waits while n8n restarts, then goes on by itself; the list of examples is there', async () => {
	let isReady = false;
	const links = await Landing.start({
		editor: 'http://127.0.0.1:1',
		cookie: '',
		workflows: { first: 'w1' },
		list: listPage(
			'Examples',
			new Map([['Pay', [{ text: 'A & B', url: '/first', about: '<b>' }]]]),
		),
		isReady: async () => isReady,
		executionAt: async () => undefined,
		port: 0,
	});
	const follow = async (route: string) => {
		const answer = await fetch(links.url + route, { redirect: 'manual' });
		const to = answer.headers.get('location');
		return { status: answer.status, to, text: await answer.text() };
	};
	const { status, text } = await follow('/');
	expect(status).toBe(200);
	expect((await follow('//')).status).toBe(200);
	expect(text).toContain('<a href="/first">A &#38; B</a> <span>&#60;b&#62;</span>');
	const waiting = await follow('/first');
	expect(waiting).toMatchObject({ status: 503, to: null });
	expect(waiting.text).toContain('<meta http-equiv="refresh" content="2">');
	expect(waiting.text).toContain('continues by itself');
	isReady = true;
	expect((await follow('/first')).status).toBe(302);
	const unknown = await follow('/first/executions?at=never');
	expect(unknown).toMatchObject({ status: 302, to: 'http://127.0.0.1:1/workflow/w1/executions' });
	await links.stop();
});
