import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { UsageError } from '../validation/usage-error.ts'
import { refusedBySystem } from './system-error.ts'

/** The exit code of a program that a signal ended is this number plus the number of the signal. */
const SIGNAL_EXIT_CODE = 128

/** The signals to forward to the command. */
const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * Runs a command with the input and output of this process, forwards signals, and resolves to the exit code, as a shell does.
 * Rejects with a UsageError when the command cannot be started.
 */
export function spawnCommand(
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const { file, args, isVerbatim } = spawnArguments(words, process.platform, environment)
  const child = spawn(file, args, {
    stdio: 'inherit',
    env: environment,
    windowsVerbatimArguments: isVerbatim,
  })
  return exitCodeOf(child, (cause) => cannotRun(words, cause))
}

/** Runs a line of the shell as {@link spawnCommand} runs words. What it writes to the standard output goes to the standard error. */
export function spawnLine(line: string, environment: NodeJS.ProcessEnv): Promise<number> {
  const stdio: StdioOptions = ['ignore', 2, 2]
  const child = spawn(line, { shell: true, stdio, env: environment })
  return exitCodeOf(child, (cause) => cannotRun(['a shell'], cause))
}

function exitCodeOf(
  child: ChildProcess,
  asError: (cause: NodeJS.ErrnoException) => UsageError,
): Promise<number> {
  const stopForwarding = forwardSignals(child)
  return new Promise<number>((resolve, reject) => {
    child.once('error', (cause) => reject(asError(cause)))
    child.once('close', (code, signal) => {
      resolve(code ?? SIGNAL_EXIT_CODE + (signal ? constants.signals[signal] : 0))
    })
  }).finally(stopForwarding)
}

/** The terminal sends Ctrl+C to the command itself. A second SIGINT would make many programs stop without cleaning up. */
function forwardSignals(child: ChildProcess): () => void {
  const forward = (signal: NodeJS.Signals): void => {
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
  }
  for (const signal of SIGNALS) process.on(signal, forward)

  return () => {
    for (const signal of SIGNALS) process.off(signal, forward)
  }
}

function cannotRun([command = '']: readonly string[], cause: NodeJS.ErrnoException): UsageError {
  return refusedBySystem(cause, {
    code: 'cannot_run',
    task: `run ${command}`,
    help: 'Pass a command after --, for example: pet-sandbox exec -- npm test. A document comes before --.',
    reasons: {
      ENOENT: 'the program does not exist',
      EACCES: 'permission denied, or it is not a program',
    },
  })
}

/** The arguments of `spawn`. */
interface SpawnArguments {
  readonly file: string
  readonly args: readonly string[]
  /** Whether Node must pass the arguments to Windows without quoting them. */
  readonly isVerbatim: boolean
}

/**
 * The arguments that start a command on a platform. On Windows, `npm` is a script that only the shell can run. The shell parses
 * the command line again, so every argument is quoted.
 */
export function spawnArguments(
  [command = '', ...args]: readonly string[],
  platform: NodeJS.Platform,
  environment: NodeJS.ProcessEnv,
): SpawnArguments {
  if (platform !== 'win32') return { file: command, args, isVerbatim: false }
  const line = [escapeForShell(command), ...args.map((word) => escapeForShell(quoted(word)))].join(
    ' ',
  )

  return {
    file: environment.ComSpec ?? environment.COMSPEC ?? 'cmd.exe',
    args: ['/d', '/s', '/c', `"${line}"`],
    isVerbatim: true,
  }
}

/** Quotes an argument for Windows programs: backslashes are only special before a quote. */
function quoted(word: string): string {
  const escaped = word.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, '$1$1')
  return `"${escaped}"`
}

/** Escapes all characters that are special to the Windows shell. */
function escapeForShell(text: string): string {
  return text.replace(/[()\][%!^"`<>&|;, *?]/g, '^$&')
}
