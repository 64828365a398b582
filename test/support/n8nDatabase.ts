import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

import type { N8nProcess } from './n8nProcess';

/** The SQLite database of a running n8n, read from outside. */
export class N8nDatabase {
	private reader: Reader | undefined;

	constructor(private readonly n8nProcess: N8nProcess) {}

	/** The executions of a workflow, oldest first, without their data. */
	async executions(workflowId: string): Promise<{ id: string; status: string; mode: string }[]> {
		const rows = await this.query(
			`select id, status, mode from execution_entity where workflowId = '${workflowId}' order by id`,
		);
		return rows.map(({ id, status, mode }) => ({
			id: String(id),
			status: String(status),
			mode: String(mode),
		}));
	}

	/** The rows that a query gives. */
	async query(sql: string): Promise<Record<string, unknown>[]> {
		return await this.evaluate('return database.prepare(input).all();', sql);
	}

	/** Where n8n's database or log contains a text: each `table.column` once, or the log's name. */
	async placesOf(text: string): Promise<string[]> {
		const places = await this.evaluate<string[]>(
			`const columns = database.prepare(\`
				select t.name as "table", c.name as "column"
				from sqlite_master t join pragma_table_info(t.name) c where t.type = 'table'\`).all();
			return columns.filter(({ table, column }) => database
				.prepare(\`select 1 from "\${table}" where instr("\${column}", ?) > 0 limit 1\`)
				.get(input) !== undefined
			).map(({ table, column }) => \`\${table}.\${column}\`);`,
			text,
		);
		return this.n8nProcess.log.includes(text) ? [...places, 'n8n.log'] : places;
	}

	/** Ends the process that reads it; the next query starts another. */
	async close(): Promise<void> {
		const { reader } = this;
		this.reader = undefined;
		await reader?.end();
	}

	private async evaluate<Result>(body: string, input: string): Promise<Result> {
		this.reader ??= new Reader(this.n8nProcess);
		return JSON.parse(await this.reader.evaluate(body, input));
	}
}

/**
 * A process of n8n's Node.js that runs function bodies over `database` and `input`, since the oldest
 * Node.js that runs the tests has no SQLite. Waits while n8n 1.x locks the file.
 */
class Reader {
	private static readonly SCRIPT = `
		const { DatabaseSync } = require('node:sqlite');
		const database = new DatabaseSync(process.argv[1], { readOnly: true, timeout: 10_000 });
		const evaluate = (body, input) => {
			try {
				return { value: JSON.stringify(new Function('database', 'input', body)(database, input)) };
			} catch (error) {
				return { error: String(error) };
			}
		};
		require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
			console.log(JSON.stringify(evaluate(...JSON.parse(line))));
		});`;
	private readonly child;
	private readonly ended;
	private readonly answers;
	private last: Promise<unknown> = Promise.resolve();

	constructor({ installation, databaseFile }: N8nProcess) {
		const args = ['--no-warnings', '--eval', Reader.SCRIPT, databaseFile];
		const child = spawn(installation.node, args, {
			env: installation.env,
			stdio: ['pipe', 'pipe', 'inherit'],
		});
		this.child = child;
		this.ended = once(child, 'close');
		this.answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
	}

	/** One after the other, as the answers come. */
	async evaluate(body: string, input: string): Promise<string> {
		const answer = this.last.then(async () => await this.ask(body, input));
		this.last = answer.catch(() => undefined);
		return await answer;
	}

	async end(): Promise<void> {
		this.child.stdin.end();
		await this.ended;
	}

	private async ask(body: string, input: string): Promise<string> {
		this.child.stdin.write(`${JSON.stringify([body, input])}\n`);
		const line = await this.answers.next();
		if (line.done === true) throw new Error('The process that reads n8n’s database has ended.');
		const { value, error }: { value: string; error?: string } = JSON.parse(line.value);
		if (error !== undefined) throw new Error(error);
		return value;
	}
}
