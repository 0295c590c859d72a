import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { UsageError } from '../../validation/usage-error.ts'
import { toSpawn } from './to-spawn.ts'

/** What a shell adds to the number of the signal that ended a program. */
const BY_SIGNAL = 128

/** Signals that whoever runs this may send. */
const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * Runs a command on this process' own input and output, passes signals on, and gives its exit code, as a shell would. Rejects
 * with a UsageError for a command that cannot be run.
 */
export function run(words: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const { file, args, isVerbatim } = toSpawn(words, process.platform, environment)
  const child = spawn(file, args, {
    stdio: 'inherit',
    env: environment,
    windowsVerbatimArguments: isVerbatim,
  })
  const stopPassing = passSignals(child)

  return new Promise<number>((resolve, reject) => {
    child.once('error', (cause) => reject(cannotRun(words, cause)))
    child.once('close', (code, signal) => {
      resolve(code ?? BY_SIGNAL + (signal ? constants.signals[signal] : 0))
    })
  }).finally(stopPassing)
}

/** Ctrl+C reaches the command by the terminal itself; a second one would make many stop without tidying up. */
function passSignals(child: ChildProcess): () => void {
  const pass = (signal: NodeJS.Signals): void => {
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
  }
  for (const signal of SIGNALS) process.on(signal, pass)

  return () => {
    for (const signal of SIGNALS) process.off(signal, pass)
  }
}

function cannotRun(
  [command = '', ...rest]: readonly string[],
  cause: NodeJS.ErrnoException,
): UsageError {
  const why = REASONS[cause.code ?? ''] ?? `the system says ${cause.code ?? cause.message}`
  return new UsageError({
    code: 'cannot_run',
    task: `run ${command}`,
    reason: why,
    help: adviceFor(command, rest),
    cause,
  })
}

/** Other commands take a document as an argument. */
function adviceFor(command: string, rest: readonly string[]): string {
  if (!/\.(?:ya?ml|json)$/i.test(command)) {
    return 'Give a command after --, as: pet-sandbox exec -- npm test. A document is given by --openapi.'
  }
  const after = rest.length > 0 ? rest.join(' ') : 'npm test'
  return `A document is given by --openapi: pet-sandbox exec --openapi ${command} -- ${after}`
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such program',
  EACCES: 'this user may not, or it is no program',
}
