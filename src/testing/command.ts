import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const BIN = fileURLToPath(new URL('../../bin/pet-sandbox.js', import.meta.url))

/** How a command ended. */
export interface Ended {
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
  /** What is run in place of the built command line. */
  readonly program?: readonly [file: string, ...args: string[]]
}

/** A sandbox that listens. */
export interface Started {
  /** As `http://127.0.0.1:4010/v1`. */
  readonly base: string
  /** What it has written to standard output so far. */
  readonly output: () => string
  /** Resolves with the output once it fits. */
  readonly said: (pattern: RegExp) => Promise<string>
  /** Sends the signal and gives how the command ended. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<Ended>
}

const running = new Set<ChildProcess>()

/** Ends the commands that a test has left behind. */
export function stopCommands(): void {
  for (const child of running) kill(child, 'SIGKILL')
}

/** Runs the built command line to its end. */
export function runCommand(args: readonly string[], options?: CommandOptions): Promise<Ended> {
  return launchCommand(args, options).ended
}

/** Starts the built command line, on any free port, and waits until it listens. */
export async function startCommand(
  args: readonly string[] = [],
  options?: CommandOptions,
): Promise<Started> {
  const { child, output, said, ended } = launchCommand(
    args.includes('--port') ? args : [...args, '--port', '0'],
    options,
  )
  const start = await said(/sandbox at \S+\n[\s\S]*Stop it|"listening"/)
  const [base = ''] = /http:\/\/[^\s"]+/.exec(start) ?? []

  return {
    base,
    output,
    said,
    stop: (signal = 'SIGTERM') => {
      kill(child, signal)
      return ended
    },
  }
}

/** As a terminal does: npx, too, is a process with others below it, all of which are told. */
function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid !== undefined && running.has(child)) process.kill(-child.pid, signal)
}

/** A command that runs. */
export interface Launched extends Pick<Started, 'output' | 'said'> {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
}

/** Starts the built command line. */
export function launchCommand(args: readonly string[], options: CommandOptions = {}): Launched {
  if (!existsSync(`${ROOT}/dist/cli.js`))
    throw new Error('There is no dist: run npm run build first')
  const { cwd = ROOT, env = {}, program = [process.execPath, BIN] } = options
  const [file, ...first] = program
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(file, [...first, ...args], {
    cwd,
    env: { PATH, HOME, ...env },
    detached: true,
  })
  running.add(child)
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ended = once(child, 'close').then(([code]): Ended => {
    running.delete(child)
    return { code, stdout, stderr }
  })

  return {
    child,
    ended,
    output: () => stdout,
    said: async (pattern) => {
      while (!pattern.test(stdout)) {
        const news = await Promise.race([once(child.stdout, 'data'), ended])
        if (!Array.isArray(news) && !pattern.test(stdout))
          throw new Error(`It ended (${news.code}) without saying ${pattern}: ${stdout}${stderr}`)
      }
      return stdout
    },
  }
}
