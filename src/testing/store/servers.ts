import { fileURLToPath } from 'node:url'
import { type StartedCommand, startCommand } from '../command.ts'
import { type JsonObject, type JsonResponse, readJson } from '../responses.ts'
import { type RequestOptions, toRequest } from '../transports.ts'

/** The program. */
export const BIN: string = fileURLToPath(new URL('../../../bin/pet-sandbox.js', import.meta.url))

/** A test fails when no answer came within this time: a request must never hang. */
const HANGING_MS = 30_000

/** Starts servers on one store, each in a process of its own. */
export function startServers(
  count: number,
  store: string,
  args: readonly string[] = [],
): Promise<readonly StartedCommand[]> {
  const all = ['--store', store, '--log', 'silent', ...args]
  const options = { program: [process.execPath, BIN] as const }

  return Promise.all(Array.from({ length: count }, () => startCommand(all, options)))
}

/** Starts two servers without a quota on a store. */
export async function startTwo(
  address: string,
): Promise<readonly [StartedCommand, StartedCommand]> {
  const [first, second] = await startServers(2, address, ['--no-quota'])
  if (!first || !second) throw new Error('There are no two servers')

  return [first, second]
}

/** A server, whose base URL is that of a world. */
export function inWorld(server: StartedCommand, name: string): StartedCommand {
  return { ...server, base: server.base.replace(/\/v1$/, `/worlds/${name}/v1`) }
}

/** Sends a request to a path after the base URL of a server. The status is 0 when the connection ended without a response. */
export async function send<Body = JsonObject>(
  { base }: Pick<StartedCommand, 'base'>,
  method: string,
  path: string,
  options?: RequestOptions,
): Promise<JsonResponse<Body>> {
  const request = toRequest(method, base + path, options)
  try {
    return await readJson(await fetch(request, { signal: AbortSignal.timeout(HANGING_MS) }))
  } catch (error) {
    if (error instanceof DOMException) throw error
    return readJson(Response.error())
  }
}

/** Runs a task `times` times, `parallel` at a time. */
export async function runParallel<Result>(
  times: number,
  parallel: number,
  task: (index: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  let next = 0
  const run = async (): Promise<void> => {
    while (next < times) {
      const index = next
      next += 1
      results[index] = await task(index)
    }
  }
  await Promise.all(Array.from({ length: parallel }, run))

  return results
}

/** How many responses have each status. */
export function countStatuses(
  responses: readonly JsonResponse<unknown>[],
): Readonly<Record<number, number>> {
  const counts: Record<number, number> = {}
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1

  return counts
}
