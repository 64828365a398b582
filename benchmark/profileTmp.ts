import { Stage, deposits, signed, STARTED } from './profileStage';
const [, , side = 'ours', connections = '200', count = '2000', engine = 'legacy'] = process.argv;
async function main() {
	const stage = await Stage.open({
		...(engine === 'legacy' ? { N8N_EXPRESSION_ENGINE: 'legacy' } : {}),
		NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=/tmp/prof-${side}-${connections}`,
	});
	const { n8nProcess } = stage.environment;
	await n8nProcess.stop();
	await n8nProcess.start();
	const receiver = stage.receivers[side as 'ours'];
	await stage.state.listening(stage.environment);
	await receiver.listening(stage.environment);
	await receiver.take(signed(deposits(20)), STARTED);
	const before = (await stage.state.run({})).cpuMilliseconds;
	const time = await receiver.take(signed(deposits(Number(count))), STARTED, Number(connections));
	console.log(side, connections, count, 'time', time, 'cpu', (await stage.state.run({})).cpuMilliseconds - before);
	await n8nProcess.stop();
	await stage.close();
}
void main();
