import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const HOST = fileURLToPath(new URL('./command-host.mjs', import.meta.url))
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Ends an output of a command. */
const END = '\u0000end\u0000'

/** What a host is asked to run. */
export interface HostedCommand {
  readonly args: readonly string[]
  readonly cwd: string
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>
}

/** A command in a host. */
export interface HostedRun {
  readonly child: ChildProcess
  readonly ended: Promise<{
    readonly code: number | null
    readonly stdout: string
    readonly stderr: string
  }>
  /** What it has written to standard output so far. */
  readonly output: () => string
}

/** Hosts that run nothing at present. They end with this process. */
const idle = new Set<ChildProcess>()

/** Runs a command in a host that is idle, or in a new one. */
export function runInHost(command: HostedCommand): HostedRun {
  const [child = startHost()] = idle
  idle.delete(child)
  const stdout = collect(child.stdout)
  const stderr = collect(child.stderr)
  child.send({ ...command, end: END })
  const ended = codeOf(child, () => Promise.all([stdout.ended, stderr.ended])).then((code) => {
    stdout.stop()
    stderr.stop()
    if (child.connected) idle.add(child)
    return { code, stdout: stdout.text(), stderr: stderr.text() }
  })

  return { child, ended, output: stdout.text }
}

function startHost(): ChildProcess {
  // As a leader of a group: a signal to it reaches what its commands start, too.
  const child = fork(HOST, { cwd: ROOT, detached: true, silent: true, execArgv: [] })
  return child.on('exit', () => idle.delete(child))
}

/** The command's exit code, once its outputs have ended; the host's own where a signal or a bug ended it with its command. */
function codeOf(child: ChildProcess, outputs: () => Promise<unknown>): Promise<number | null> {
  return new Promise((resolve) => {
    const answer = async ({ code }: { code: number }): Promise<void> => {
      child.off('close', end)
      await outputs()
      resolve(code)
    }
    const end = (code: number | null): void => {
      child.off('message', answer)
      resolve(code)
    }
    child.once('message', answer).once('close', end)
  })
}

/** What an output says until it ends. */
function collect(stream: ChildProcess['stdout']) {
  let text = ''
  let end = (): void => undefined
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const listen = (chunk: string): void => {
    text += chunk
    if (!text.endsWith(END)) return
    text = text.slice(0, -END.length)
    end()
  }
  stream?.setEncoding('utf8').on('data', listen)

  return { ended, text: () => text, stop: () => stream?.off('data', listen) }
}
