import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runInHost } from './command-hosts.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const BIN = fileURLToPath(new URL('../../bin/pet-sandbox.js', import.meta.url))

/** How a command ended. */
export interface CommandResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Where a command runs. */
export interface CommandOptions {
  /** The repository when left out. */
  readonly cwd?: string
  /** Over the few variables that every command gets. */
  readonly env?: Readonly<Record<string, string>>
  /** What is run in place of the built command line, in a process of its own. */
  readonly program?: readonly [file: string, ...args: string[]]
}

/** A sandbox that listens. */
export interface StartedCommand {
  /** As `http://127.0.0.1:4010/v1`. */
  readonly base: string
  /** What it has written to standard output so far. */
  readonly output: () => string
  /** Resolves with the output once it fits. */
  readonly waitForOutput: (pattern: RegExp) => Promise<string>
  /** Sends the signal and gives how the command ended. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<CommandResult>
}

const running = new Map<RunningCommand, NodeJS.Signals>()

/** Ends the commands that a test has left behind. Until it resolves, they may still write files. */
export async function stopCommands(): Promise<void> {
  const ends = [...running].map(([{ child, ended }, signal]) => {
    signalGroup(child, signal)
    return ended
  })
  await Promise.allSettled(ends)
}

/** Runs the built command line to its end. */
export function runCommand(
  args: readonly string[],
  options?: CommandOptions,
): Promise<CommandResult> {
  return launchCommand(args, options).ended
}

/** Starts the built command line, on any free port, and waits until it listens. */
export async function startCommand(
  args: readonly string[] = [],
  options?: CommandOptions,
): Promise<StartedCommand> {
  const command = launchCommand(args.includes('--port') ? args : [...args, '--port', '0'], options)
  const { output, waitForOutput, ended } = command
  const start = await waitForOutput(/sandbox at \S+\n[\s\S]*Stop it|"listening"/)
  const [base = ''] = /http:\/\/[^\s"]+/.exec(start) ?? []

  return {
    base,
    output,
    waitForOutput,
    stop: (signal = 'SIGTERM') => {
      if (running.has(command)) signalGroup(command.child, signal)
      return ended
    },
  }
}

/** As a terminal does: npx, too, is a process with others below it, all of which are told. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined) process.kill(-pid, signal)
}

/** A command that runs. */
export interface RunningCommand extends Pick<StartedCommand, 'output'> {
  /** Its process, which may run other commands after it. */
  readonly child: ChildProcess
  readonly ended: Promise<CommandResult>
}

/** A command that runs, and can be waited for. */
export interface LaunchedCommand extends RunningCommand, Pick<StartedCommand, 'waitForOutput'> {}

/**
 * Starts the built command line. It shares its process with commands before and after it, unless it keeps a state in a file,
 * which is locked for a process, or has options for Node.
 */
export function launchCommand(
  args: readonly string[],
  options: CommandOptions = {},
): LaunchedCommand {
  if (!existsSync(`${ROOT}/dist/cli.js`))
    throw new Error('There is no dist: run npm run build first')
  const { cwd = ROOT, program } = options
  const { PATH = '', HOME = '' } = process.env
  const env: Record<string, string> = { PATH, HOME, ...options.env }
  const isAlone = program || args.includes('--state') || 'NODE_OPTIONS' in env
  const [file, ...first] = program ?? [process.execPath, BIN]
  const command = isAlone
    ? runAlone(file, [...first, ...args], { cwd, env })
    : runInHost({ args, cwd, env })
  const launched: LaunchedCommand = {
    ...command,
    waitForOutput: (pattern) => waitForOutput(command, pattern),
  }
  // A process that is shared is asked to end the command, and can be used again.
  running.set(launched, isAlone ? 'SIGKILL' : 'SIGTERM')
  const forget = (): void => void running.delete(launched)
  command.ended.then(forget, forget)

  return launched
}

function runAlone(
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
    if (!child.stdout) throw new Error('Its output is not read')
    const news = await Promise.race([once(child.stdout, 'data'), ended])
    if (!Array.isArray(news) && !pattern.test(output()))
      throw new Error(
        `It ended (${news.code}) without saying ${pattern}: ${output()}${news.stderr}`,
      )
  }
  return output()
}
