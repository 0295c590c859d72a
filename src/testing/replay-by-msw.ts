import { text } from 'node:stream/consumers'
import { connectByMsw } from './connect-by-msw.ts'
import { BASE, replay } from './replay.ts'

// A process of its own, for the line of MSW that it is bundled with: a trace comes in, what was answered goes out.
const recording = await replay(JSON.parse(await text(process.stdin)), async (sandbox) => {
  connectByMsw(sandbox, BASE)
  return fetch
})
process.stdout.write(JSON.stringify(recording))
