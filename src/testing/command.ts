import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runInHost } from './command-hosts.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const BIN = fileURLToPath(new URL('../../bin/pet-sandbox.js', import.meta.url))

/** The exit code and the outputs of a command. `code` is `null` after a signal. */
export interface CommandResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** How to run a command. */
export interface CommandOptions {
  /** The working directory. Default: the root of the repository. */
  readonly cwd?: string
  /** Environment variables in addition to `PATH` and `HOME`. */
  readonly env?: Readonly<Record<string, string>>
  /** A program to run instead of the built command line, in a separate process. */
  readonly program?: readonly [file: string, ...args: string[]]
}

/** A command that serves a sandbox. */
export interface StartedCommand {
  /** The base URL, such as `http://127.0.0.1:4010/v1`. */
  readonly base: string
  /** Returns the standard output so far. */
  readonly output: () => string
  /** Resolves with the standard output when it matches the pattern. */
  readonly waitForOutput: (pattern: RegExp) => Promise<string>
  /** Sends the signal, such as SIGSTOP. */
  readonly signal: (signal: NodeJS.Signals) => void
  /** Sends the signal, and resolves when the command has ended. Default: SIGTERM. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<CommandResult>
}

const running = new Map<RunningCommand, NodeJS.Signals>()

/** Stops the commands that a test has left running. */
export async function stopCommands(): Promise<void> {
  const ends = [...running].map(([{ child, ended }, signal]) => {
    signalGroup(child, signal)
    return ended
  })
  await Promise.allSettled(ends)
}

/** Runs the built command line until it exits. */
export function runCommand(
  args: readonly string[],
  options?: CommandOptions,
): Promise<CommandResult> {
  return launchCommand(args, options).ended
}

/** Starts the built command line on a free port, and waits until it listens. */
export async function startCommand(
  args: readonly string[] = [],
  options?: CommandOptions,
): Promise<StartedCommand> {
  const command = launchCommand(args.includes('--port') ? args : [...args, '--port', '0'], options)
  const { output, waitForOutput, ended } = command
  const start = await waitForOutput(
    /sandbox at \S+\n[\s\S]*Press Ctrl\+C|"listening"|^http:\/\/\S+\n/,
  )
  const [base = ''] = /http:\/\/[^\s"]+/.exec(start) ?? []

  return {
    base,
    output,
    waitForOutput,
    signal: (signal) => signalGroup(command.child, signal),
    stop: (signal = 'SIGTERM') => {
      if (running.has(command)) signalGroup(command.child, signal)
      return ended
    },
  }
}

/** Signals the whole process group, as a terminal does: npx starts child processes. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined) process.kill(-pid, signal)
}

/** A running command. */
export interface RunningCommand extends Pick<StartedCommand, 'output'> {
  /** The process, which may run other commands afterwards. */
  readonly child: ChildProcess
  readonly ended: Promise<CommandResult>
}

/** A running command, whose output can be waited for. */
export interface LaunchedCommand extends RunningCommand, Pick<StartedCommand, 'waitForOutput'> {}

/**
 * Starts the built command line. The command shares its process with earlier and later commands, except with `program` and with
 * `NODE_OPTIONS`.
 */
export function launchCommand(
  args: readonly string[],
  options: CommandOptions = {},
): LaunchedCommand {
  if (!existsSync(`${ROOT}/dist/cli.js`))
    throw new Error('Cannot run the command line: dist/ does not exist. Run "npm run build" first.')
  const { cwd = ROOT, program } = options
  const { PATH = '', HOME = '' } = process.env
  const env: Record<string, string> = { PATH, HOME, ...options.env }
  const isSeparate = program || 'NODE_OPTIONS' in env
  const [file, ...first] = program ?? [process.execPath, BIN]
  const command = isSeparate
    ? runInOwnProcess(file, [...first, ...args], { cwd, env })
    : runInHost({ args, cwd, env })
  const launched: LaunchedCommand = {
    ...command,
    waitForOutput: (pattern) => waitForOutput(command, pattern),
  }
  // SIGTERM ends the command of a shared process, and the process remains usable.
  running.set(launched, isSeparate ? 'SIGKILL' : 'SIGTERM')
  const forget = (): void => void running.delete(launched)
  command.ended.then(forget, forget)

  return launched
}

function runInOwnProcess(
  file: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): RunningCommand {
  const child = spawn(file, args, { ...options, detached: true })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ended = once(child, 'close').then(([code]): CommandResult => ({ code, stdout, stderr }))

  return { child, ended, output: () => stdout }
}

async function waitForOutput(
  { child, output, ended }: RunningCommand,
  pattern: RegExp,
): Promise<string> {
  while (!pattern.test(output())) {
    if (!child.stdout) throw new Error('The command has no readable output')
    const event = await Promise.race([once(child.stdout, 'data'), ended])
    if (!Array.isArray(event) && !pattern.test(output()))
      throw new Error(
        `The command ended (${event.code}) before its output matched ${pattern}: ${output()}${event.stderr}`,
      )
  }
  return output()
}
