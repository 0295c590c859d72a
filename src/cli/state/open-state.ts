import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { Snapshot } from '../../sandbox/snapshot.ts'
import { UsageError } from '../../validation/usage-error.ts'
import type { ServeSettings } from '../settings.ts'
import { lock } from './lock.ts'
import { StateFile } from './state-file.ts'
import { StateWriter } from './state-writer.ts'

/** The state of a sandbox that is saved to a file. */
export interface OpenedState {
  /** The file name as the developer wrote it. */
  readonly name: string
  /** The number of restored records in all worlds; `undefined` when there was no file. */
  readonly restoredRecords: number | undefined
  /** Resolves when all changes until now are on the disk. Rejects with a UsageError when the file cannot be written. */
  readonly flush: () => Promise<void>
  /** Writes pending changes and releases the file. Returns whether all changes are written. */
  readonly close: () => Promise<boolean>
}

/** Settings that override the state in the file. */
export type CurrentSettings = Pick<ServeSettings, 'plans' | 'keys'>

/**
 * Restores a sandbox from a file and saves all later changes to it. Creates a missing file. Rejects with a UsageError, and does
 * not change the file, if it contains no state of this contract, another process uses it, or it cannot be written.
 */
export async function openState(
  name: string,
  sandbox: Sandbox,
  settings: CurrentSettings,
): Promise<OpenedState> {
  const file = await StateFile.at(name)
  const release = await lock(file, report)
  const writer = new StateWriter(file, sandbox.snapshot, report)
  try {
    await file.removeTemporaryFiles()
    const saved = await file.read()
    if (saved === undefined) await writer.flush()
    else await restore(sandbox, saved, file, settings)
    const restoredRecords = saved === undefined ? undefined : countRecords(await sandbox.snapshot())
    sandbox.worlds.onExchange(writer.scheduleWrite)
    writer.scheduleWrite()

    return {
      name,
      restoredRecords,
      flush: writer.flush,
      close: () => writer.close().finally(release),
    }
  } catch (error) {
    release()
    throw error
  }
}

function report(line: string): void {
  process.stderr.write(`pet-sandbox: ${line}\n`)
}

async function restore(
  sandbox: Sandbox,
  saved: unknown,
  file: StateFile,
  { plans = {}, keys = {} }: CurrentSettings,
): Promise<void> {
  try {
    await sandbox.restore(saved)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw file.refuse(error.reason, error, HELP[error.code])
  }
  for (const [plan, windows] of Object.entries(plans)) sandbox.setPlan(plan, windows)
  for (const [key, plan] of Object.entries(keys)) sandbox.setKey(key, plan)
}

/** The help for states that are valid. */
const HELP: Readonly<Record<string, string>> = {
  too_many_worlds: 'Increase --worlds.',
}

function countRecords({ state, worlds = {} }: Snapshot): number {
  const lists = [state, ...Object.values(worlds)].flatMap(({ records }) => Object.values(records))
  return lists.reduce((sum, { rows }) => sum + rows.length, 0)
}
