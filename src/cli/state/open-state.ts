import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { Snapshot } from '../../sandbox/snapshot.ts'
import { UsageError } from '../../validation/usage-error.ts'
import type { ServeSettings } from '../settings.ts'
import { Keeper } from './keeper.ts'
import { lock } from './lock.ts'
import { StateFile } from './state-file.ts'

/** A state that is kept in a file. */
export interface State {
  /** The file, as the developer wrote it. */
  readonly name: string
  /** How many records the file held, of all worlds; `undefined` where there was no file. */
  readonly found: number | undefined
  /** Resolves once all that has happened until now is on the disk; rejects with a UsageError when it cannot be. */
  readonly settle: () => Promise<void>
  /** Writes what is not written yet, and lets other processes have the file; whether all is written. */
  readonly close: () => Promise<boolean>
}

/** What holds also where the file says otherwise: the developer asks for it now. */
export type Present = Pick<ServeSettings, 'plans' | 'keys'>

/**
 * Puts a sandbox into the state that a file holds, and keeps the file current from then on; where there is none, it is made.
 * Rejects with a UsageError, and leaves the file as it is, when it holds no state of this contract, another process keeps
 * its own there, or it cannot be written.
 */
export async function openState(name: string, sandbox: Sandbox, present: Present): Promise<State> {
  const file = await StateFile.at(name)
  const release = await lock(file, tell)
  const keeper = new Keeper(file, sandbox.snapshot, tell)
  try {
    await file.sweep()
    const kept = await file.read()
    if (kept === undefined) await keeper.settle()
    else await restore(sandbox, kept, file, present)
    const found = kept === undefined ? undefined : recordsIn(await sandbox.snapshot())
    sandbox.worlds.onExchange(keeper.touch)
    keeper.touch()

    return { name, found, settle: keeper.settle, close: () => keeper.close().finally(release) }
  } catch (error) {
    release()
    throw error
  }
}

function tell(line: string): void {
  process.stderr.write(`pet-sandbox: ${line}\n`)
}

async function restore(
  sandbox: Sandbox,
  kept: unknown,
  file: StateFile,
  { plans = {}, keys = {} }: Present,
): Promise<void> {
  try {
    await sandbox.restore(kept)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw file.refuse(error.reason, error, ADVICE[error.code])
  }
  for (const [plan, windows] of Object.entries(plans)) sandbox.setPlan(plan, windows)
  for (const [key, plan] of Object.entries(keys)) sandbox.setKey(key, plan)
}

/** What is sound need not be moved away. */
const ADVICE: Readonly<Record<string, string>> = {
  too_many_worlds: 'Raise --worlds to keep them all.',
}

function recordsIn({ state, worlds = {} }: Snapshot): number {
  const lists = [state, ...Object.values(worlds)].flatMap(({ records }) => Object.values(records))
  return lists.reduce((sum, { rows }) => sum + rows.length, 0)
}
