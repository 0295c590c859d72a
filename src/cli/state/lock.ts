import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { UsageError } from '../../validation/usage-error.ts'
import { describeSystemError, systemErrorCode } from '../system-error.ts'
import { type StateFile, unwritable } from './state-file.ts'

/** The number of attempts while another process takes or releases the lock. */
const MAX_ATTEMPTS = 10
/** The pause between attempts. */
const PAUSE_MS = 20

/**
 * Locks a file for this process until the lock is released or the process ends. Ignores the lock of a killed process. Rejects
 * with a UsageError while another process has the lock, and when the lock of a killed process cannot be removed. `report`
 * receives a line when the lock cannot be removed at the end.
 */
export async function lock(file: StateFile, report: (line: string) => void): Promise<() => void> {
  const path = `${file.path}.lock`
  let failure: unknown
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    if (take(path, file)) return releaser(path, report)
    const holder = read(path)
    // Another process has created the lock and not written it yet.
    if (holder === '' && attempt < MAX_ATTEMPTS / 2) await setTimeout(PAUSE_MS)
    else if (holder !== undefined && isHeld(holder)) throw inUse(file, path, holder)
    else if (holder !== undefined) failure = removeStale(path, holder)
  }
  if (failure !== undefined) throw irremovable(file, path, failure)
  throw inUse(file, path, read(path) ?? '')
}

function take(path: string, file: StateFile): boolean {
  try {
    writeFileSync(path, `${process.pid} ${startOf(process.pid)}`, { flag: 'wx' })
    return true
  } catch (cause) {
    if (systemErrorCode(cause) === 'EEXIST') return false
    throw unwritable(file.name, cause)
  }
}

function releaser(path: string, report: (line: string) => void): () => void {
  const release = (): void => {
    process.off('exit', release)
    try {
      rmSync(path, { force: true })
    } catch (cause) {
      report(
        `Cannot remove the lock ${path}: ${describeSystemError(cause)}. The next start removes it.`,
      )
    }
  }
  process.on('exit', release)
  return release
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** Removes the lock of a killed process, unless another process has replaced it. Returns the system error of a failure. */
function removeStale(path: string, stale: string): unknown {
  const aside = `${path}.${process.pid}`
  try {
    renameSync(path, aside)
  } catch (error) {
    // Without the file, another process was faster.
    return systemErrorCode(error) === 'ENOENT' ? undefined : error
  }
  try {
    if (read(aside) !== stale) linkSync(aside, path)
  } catch {
    // Another process was faster.
  }
  rmSync(aside, { force: true })
  return undefined
}

/** Process ids are reused, in containers at once. The start time tells two processes with the same id apart. */
function isHeld(holder: string): boolean {
  const [pid, start = ''] = holder.split(' ')
  const number = Number(pid)
  if (!Number.isInteger(number) || number <= 0) return false
  if (start !== '') return startOf(number) === start
  return number !== process.pid && isAlive(number)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return systemErrorCode(error) === 'EPERM'
  }
}

/** The start time of a process, in ticks since the machine started; empty for an ended process and without /proc. */
function startOf(pid: number): string {
  const stat = read(`/proc/${pid}/stat`) ?? ''
  // The process name before may contain spaces and parentheses.
  const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return state === 'Z' || state === 'X' ? '' : (fields[18] ?? '')
}

function irremovable(file: StateFile, path: string, cause: unknown): UsageError {
  return new UsageError({
    code: 'unwritable_state',
    task: `save the state to ${file.name}`,
    reason: `the lock ${path} of a process that has ended cannot be removed, because ${describeSystemError(cause)}`,
    help: 'Make the folder writable, or name another file.',
    cause,
  })
}

function inUse(file: StateFile, path: string, holder: string): UsageError {
  const [pid = ''] = holder.split(' ')
  return new UsageError({
    code: 'state_in_use',
    task: `save the state to ${file.name}`,
    reason: `the process ${pid} uses this file`,
    help: `Stop the process, or name another file; if it is not a sandbox, remove ${path}.`,
  })
}
