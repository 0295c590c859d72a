import { text } from 'node:stream/consumers'
import { connectByMsw } from './connect-by-msw.ts'
import { replay, TRACE_BASE_URL } from './replay.ts'

// A process of its own, for the line of MSW that it is bundled with: a trace comes in, what was answered goes out.
const recording = await replay(JSON.parse(await text(process.stdin)), async (sandbox) => {
  connectByMsw(sandbox, TRACE_BASE_URL)
  return fetch
})
process.stdout.write(JSON.stringify(recording))
