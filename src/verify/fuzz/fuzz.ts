import { RandomSource } from '../../generate/random.ts'
import type { Session } from '../session/session.ts'
import { type Command, type FuzzedOperations, randomCommands } from './commands.ts'
import { type FuzzFailure, FuzzPlayer, isWithoutResponse, type Played } from './play.ts'

/** A failure with the shortest sequence of requests that was found for it. */
export interface FuzzFinding extends FuzzFailure {
  readonly sequence: Played
}

/** What random requests found. */
export interface Fuzzed {
  readonly findings: readonly FuzzFinding[]
  /** The number of sequences. */
  readonly sequences: number
  /** The number of requests, without those that made sequences shorter or removed records. */
  readonly requests: number
}

/** The most findings whose sequences are made shorter. */
const MAX_FINDINGS = 10

/** The most requests that make one sequence shorter. */
const MAX_SHRINKING = 200

/** After so many sequences in a row without a request, or without a response, no more are sent. */
const MAX_EMPTY = 20
const MAX_SILENT = 3

interface FuzzOptions {
  readonly requests: number
  readonly seed: number
  /** Why no more requests are sent; `undefined` when more may be sent. */
  readonly reasonToStop: () => string | undefined
  /** The checks that failed without random input. */
  readonly known: ReadonlySet<string>
}

/** The most requests that random sequences and the search for the shortest ones may need. */
export function fuzzBudget(requests: number): number {
  return requests + MAX_FINDINGS * MAX_SHRINKING
}

/** Sends random sequences of requests, and finds the shortest one for each kind of failure. */
export async function fuzz(
  operations: FuzzedOperations,
  session: Session,
  { requests, seed, reasonToStop, known }: FuzzOptions,
): Promise<Fuzzed> {
  const random = RandomSource.from([seed])
  const found = new Map<string, FuzzFinding>()
  const player = new FuzzPlayer(session, known)
  let [sent, sequences, empty, silent] = [0, 0, 0, 0]
  // Without an operation to send to, every sequence is empty.
  const isOver = (): boolean => sent >= requests || empty >= MAX_EMPTY || silent >= MAX_SILENT
  while (!isOver() && reasonToStop() === undefined) {
    const commands = randomCommands(operations, random.part(sequences)).slice(0, requests - sent)
    const played = await player.play(commands)
    sequences += 1
    sent += played.responses.length
    empty = played.responses.length === 0 ? empty + 1 : 0
    const { failure } = played
    silent = isWithoutResponse(played) ? silent + 1 : 0
    if (!failure || found.has(failure.check.id)) continue
    const isShortened = found.size < MAX_FINDINGS && silent === 0
    const shortest = isShortened ? await shrink(played, player, reasonToStop) : played
    found.set(failure.check.id, { ...(shortest.failure ?? failure), sequence: shortest })
  }
  return { findings: [...found.values()], sequences, requests: sent }
}

/** The shortest sequence that fails the same check: without some of the requests, and then with fewer random values. */
async function shrink(
  played: Played,
  player: FuzzPlayer,
  reasonToStop: () => string | undefined,
): Promise<Played> {
  let best = played
  let left = MAX_SHRINKING
  const id = played.failure?.check.id
  const attempt = async (commands: readonly Command[]): Promise<boolean> => {
    if (commands.length === 0 || left < commands.length || reasonToStop() !== undefined)
      return false
    const next = await player.play(commands)
    left -= next.responses.length
    if (next.failure?.check.id !== id) return false
    best = next
    return true
  }
  for (let at = best.commands.length - 2; at >= 0; at -= 1)
    await attempt(best.commands.filter((_, place) => place !== at))
  for (let at = 0; at < best.commands.length; at += 1) {
    const withNames = (names: readonly string[]): readonly Command[] =>
      best.commands.map((one, place) => (place === at ? { ...one, names } : one))
    const command = best.commands[at]
    // The one thing that is wrong in an invalid body stays.
    if (!command || command.isInvalid || (await attempt(withNames([])))) continue
    for (const name of command.names ?? [])
      await attempt(withNames((best.commands[at]?.names ?? []).filter((one) => one !== name)))
  }
  return best
}
