import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type StartedCommand, startCommand } from '../command.ts'
import { sendToPort } from '../send-to-port.ts'
import { BIN, startServers } from '../store/servers.ts'
import type { StoryDocument } from './documents.ts'
import { type Answering, ORIGIN, opened, type Place, STOP_CLOCK } from './places.ts'

/**
 * How many requests a process answers; the first one less, so that the shortest story outlives it. To start a process takes as long as a
 * hundred requests: `npm run test:kill` does it more often.
 */
const REQUESTS_PER_PROCESS = Number(process.env.PET_SANDBOX_REQUESTS_PER_PROCESS ?? 30)
const REQUESTS_OF_FIRST = Math.min(7, REQUESTS_PER_PROCESS)

/** Whether the process ends before this request. */
function endsBefore(request: number): boolean {
  return request === REQUESTS_OF_FIRST || request % REQUESTS_PER_PROCESS === 0
}

/** A server that saves its state in a file, and is stopped and started again. */
export const RESTARTED: Place = {
  name: 'with --state, over restarts',
  isAvailable: true,
  open: async ({ file }) => {
    const folder = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
    const args = [file, '--state', join(folder, 'state.json'), ...OPTIONS]
    const start = (): Promise<StartedCommand> =>
      startCommand(args, { program: [process.execPath, BIN] })
    let server = await start()
    let count = 0
    const place = opened(
      async () => {
        count += 1
        if (endsBefore(count)) {
          await server.stop()
          server = await start()
        }
        return answeringAt(server)
      },
      async () => {
        await server.stop()
        await rm(folder, { recursive: true })
      },
    )
    await place.send(STOP_CLOCK)
    return place
  },
}

/** Two servers on a store, which answer in turn; one of them is killed and replaced again and again. */
export function onKilledServers(address: () => string): Place {
  return {
    name: 'on two servers with one store, which are killed in turn',
    isAvailable: true,
    open: async (document) => {
      const start = (): Promise<StartedCommand> => startOne(document, address(), prefix)
      const prefix = crypto.randomUUID()
      const servers = [await start(), await start()]
      let count = 0
      const place = opened(
        async () => {
          count += 1
          const turn = count % servers.length
          // The first number is odd and the second one even, so that both servers are killed.
          if (endsBefore(count)) {
            await servers[turn]?.stop('SIGKILL')
            servers[turn] = await start()
          }
          return answeringAt(servers[turn])
        },
        async () => {
          await Promise.all(servers.map((server) => server.stop('SIGKILL')))
        },
      )
      await place.send(STOP_CLOCK)
      return place
    },
  }
}

const OPTIONS = ['--log', 'json', '--public-url', ORIGIN]

async function startOne(
  { file }: StoryDocument,
  address: string,
  prefix: string,
): Promise<StartedCommand> {
  const [server] = await startServers(1, address, [file, '--store-prefix', prefix, ...OPTIONS])
  if (!server) throw new Error('There is no server')
  return server
}

function answeringAt(server: StartedCommand | undefined): Answering {
  const fetch = sendToPort(Number(new URL(server?.base ?? '').port))
  return { api: fetch, control: fetch }
}
