import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { UsageError } from '../../validation/usage-error.ts'
import { codeOf, whyOf } from './path.ts'
import { type StateFile, unwritable } from './state-file.ts'

/** How often a lock that somebody else is just taking, or leaving, is looked at again, and after how many milliseconds. */
const TRIES = 10
const PAUSE = 20

/**
 * Keeps other processes off a file until it is released, or this process ends. What a killed process left is no lock.
 * Rejects with a UsageError while another process has it, and where what a killed process left cannot be removed. `tell`
 * gets a line when the lock cannot be removed at the end.
 */
export async function lock(file: StateFile, tell: (line: string) => void): Promise<() => void> {
  const path = `${file.path}.lock`
  let obstacle: unknown
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (take(path, file)) return releaser(path, tell)
    const holder = read(path)
    // Another process has made it, and not written it yet.
    if (holder === '' && tries < TRIES / 2) await setTimeout(PAUSE)
    else if (holder !== undefined && isHeld(holder)) throw inUse(file, path, holder)
    else if (holder !== undefined) obstacle = clear(path, holder)
  }
  if (obstacle !== undefined) throw irremovable(file, path, obstacle)
  throw inUse(file, path, read(path) ?? '')
}

function take(path: string, file: StateFile): boolean {
  try {
    writeFileSync(path, `${process.pid} ${startOf(process.pid)}`, { flag: 'wx' })
    return true
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') return false
    throw unwritable(file.name, cause)
  }
}

function releaser(path: string, tell: (line: string) => void): () => void {
  const release = (): void => {
    process.off('exit', release)
    try {
      rmSync(path, { force: true })
    } catch (cause) {
      tell(
        `Cannot remove the lock ${path}: ${whyOf(cause)}. It stays until the next start that can remove it.`,
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

/**
 * Removes a lock that nobody holds, unless another process has put its own in that place meanwhile. Returns the system's
 * error when it cannot be removed.
 */
function clear(path: string, stale: string): unknown {
  const aside = `${path}.${process.pid}`
  try {
    renameSync(path, aside)
  } catch (error) {
    // Else another process was faster.
    return codeOf(error) === 'ENOENT' ? undefined : error
  }
  try {
    if (read(aside) !== stale) linkSync(aside, path)
  } catch {
    // Another process was faster.
  }
  rmSync(aside, { force: true })
  return undefined
}

/** A process has the number of an earlier one sooner or later, and in a container at once; it started at another time. */
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
    return codeOf(error) === 'EPERM'
  }
}

/** When a process started, in ticks since the machine did; empty for one that has ended, and where there is no /proc. */
function startOf(pid: number): string {
  const stat = read(`/proc/${pid}/stat`) ?? ''
  // The name before may hold spaces and parentheses.
  const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return state === 'Z' || state === 'X' ? '' : (fields[18] ?? '')
}

function irremovable(file: StateFile, path: string, cause: unknown): UsageError {
  return new UsageError({
    code: 'unwritable_state',
    task: `keep the state in ${file.name}`,
    reason: `the lock ${path} of a process that has ended cannot be removed, because ${whyOf(cause)}`,
    help: 'Make the folder writable, or name another file.',
    cause,
  })
}

function inUse(file: StateFile, path: string, holder: string): UsageError {
  const [pid = ''] = holder.split(' ')
  return new UsageError({
    code: 'state_in_use',
    task: `keep the state in ${file.name}`,
    reason: `the process ${pid} uses this file`,
    help: `Stop the process, or name another file; if it is not a sandbox, remove ${path}.`,
  })
}
