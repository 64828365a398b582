import { run } from '../../scripts/lib/processes.mjs';
import type { N8nProcess } from './n8nProcess';

/** The SQLite database of a running n8n, read from outside. */
export class N8nDatabase {
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

	/**
	 * Runs a function body over `database` and `input` in n8n's Node.js, since the oldest Node.js that
	 * runs the tests has no SQLite. Waits while n8n 1.x locks the file.
	 */
	private async evaluate<Result>(body: string, input: string): Promise<Result> {
		const script = `
			const { DatabaseSync } = require('node:sqlite');
			const [, file, input] = process.argv;
			const database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 });
			console.log(JSON.stringify((() => { ${body} })()));`;
		const { installation, databaseFile } = this.n8nProcess;
		const args = ['--no-warnings', '-e', script, databaseFile, input];
		return JSON.parse(await run(installation.node, args, { env: installation.env }));
	}
}
