import { text } from 'node:stream/consumers'
import { setupServer } from 'msw/node'
import { strict, toHandlers } from '../transports/msw.ts'
import { BASE, replay } from './replay.ts'

// A process of its own, for the line of MSW that it is bundled with: a trace comes in, what was answered goes out.
const server = setupServer()
server.listen(strict)
const recording = await replay(JSON.parse(await text(process.stdin)), async (sandbox) => {
  server.use(...toHandlers(sandbox, { baseUrl: BASE }))
  return fetch
})
server.close()
process.stdout.write(JSON.stringify(recording))
