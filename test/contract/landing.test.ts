import { describedExamples, EXAMPLES } from '../../practice/exampleFiles';
import { Landing } from '../../practice/landing';
import { listPage } from '../../practice/landingPages';

/* The links of `npm start`. test/e2e/start.test.ts follows them in a real n8n. */

let isReady = true;
let links: Landing;

beforeAll(async () => {
	links = await Landing.start({
		editor: 'http://127.0.0.1:1',
		cookie: 'n8n-auth=signed-in',
		workflows: { first: 'w1' },
		list: listPage(
			'Examples',
			new Map([['Pay', [{ text: 'A & B', url: '/first', about: '<b>' }]]]),
		),
		isReady: async () => isReady,
		executionAt: async (_workflow, at) => (at === 'then' ? '7' : undefined),
		port: 0,
	});
});
beforeEach(() => {
	isReady = true;
});
afterAll(async () => {
	await links.stop();
});

const follow = async (route: string) => {
	const answer = await fetch(`${links.url}${route}`, { redirect: 'manual' });
	const { status, headers } = answer;
	return { status, to: headers.get('location'), text: await answer.text(), headers };
};

it('opens a workflow or an execution, signed in', async () => {
	const opened = await follow('/first');
	expect(opened).toMatchObject({ status: 302, to: 'http://127.0.0.1:1/workflow/w1' });
	expect(opened.headers.get('set-cookie')).toBe('n8n-auth=signed-in');
	expect((await follow('/first/executions?at=then')).to).toMatch(/w1\/executions\/7$/);
	expect((await follow('/first/executions?at=never')).to).toMatch(/w1\/executions$/);
});

it('waits while n8n restarts, then goes on by itself', async () => {
	isReady = false;
	const waiting = await follow('/first');
	expect(waiting).toMatchObject({ status: 503, to: null });
	expect(waiting.text).toContain('<meta http-equiv="refresh" content="2">');
	expect(waiting.text).toContain('continues by itself');
	isReady = true;
	expect((await follow('/first')).status).toBe(302);
});

it('lists the examples without a name, also while n8n restarts', async () => {
	isReady = false;
	const { status, text } = await follow('/');
	expect(status).toBe(200);
	expect(text).toContain('<a href="/first">A &#38; B</a> <span>&#60;b&#62;</span>');
});

it('knows what each example does', () => {
	const described = [...describedExamples().values()].flat();
	expect(described.map(({ name }) => name).sort()).toEqual([...EXAMPLES].sort());
	for (const { about } of described) expect(about).toMatch(/^[^`*|]{10,}$/);
});
