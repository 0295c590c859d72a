import { text } from 'node:stream/consumers'
import { connectByMsw } from './connect-by-msw.ts'
import { replay, TRACE_BASE_URL } from './replay.ts'

// A separate process for the version of MSW in its bundle. It reads a trace and prints the result of its replay.
const result = await replay(JSON.parse(await text(process.stdin)), async (sandbox) => {
  connectByMsw(sandbox, TRACE_BASE_URL)
  return fetch
})
process.stdout.write(JSON.stringify(result))
