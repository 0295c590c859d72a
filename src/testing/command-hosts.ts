import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const HOST = fileURLToPath(new URL('./command-host.mjs', import.meta.url))
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The host writes it to standard output and standard error after each command. */
const END_MARKER = '\u0000end\u0000'

/** A command for a host: a process that runs one command after the other. */
export interface HostedCommand {
  readonly args: readonly string[]
  readonly cwd: string
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>
}

/** A command that runs in a host. */
export interface HostedRun {
  readonly child: ChildProcess
  readonly ended: Promise<{
    readonly code: number | null
    readonly stdout: string
    readonly stderr: string
  }>
  /** Returns the standard output so far. */
  readonly output: () => string
}

/** The hosts that run no command. They exit with this process. */
const idleHosts = new Set<ChildProcess>()

/** Runs a command in an idle host, or in a new one. */
export function runInHost(command: HostedCommand): HostedRun {
  const [child = startHost()] = idleHosts
  idleHosts.delete(child)
  const stdout = collect(child.stdout)
  const stderr = collect(child.stderr)
  child.send({ ...command, endMarker: END_MARKER })
  const ended = exitCodeOf(child, () => Promise.all([stdout.ended, stderr.ended])).then((code) => {
    stdout.stop()
    stderr.stop()
    if (child.connected) idleHosts.add(child)
    return { code, stdout: stdout.text(), stderr: stderr.text() }
  })

  return { child, ended, output: stdout.text }
}

function startHost(): ChildProcess {
  // `detached` starts a process group, so that a signal also reaches the processes that the commands start.
  const child = fork(HOST, { cwd: ROOT, detached: true, silent: true, execArgv: [] })
  return child.on('exit', () => idleHosts.delete(child))
}

/** The exit code of the command, after the end of its outputs. If the host itself exits, the exit code of the host. */
function exitCodeOf(child: ChildProcess, outputs: () => Promise<unknown>): Promise<number | null> {
  return new Promise((resolve) => {
    const onMessage = async ({ code }: { code: number }): Promise<void> => {
      child.off('close', onClose)
      await outputs()
      resolve(code)
    }
    const onClose = (code: number | null): void => {
      child.off('message', onMessage)
      resolve(code)
    }
    child.once('message', onMessage).once('close', onClose)
  })
}

/** Collects the text of an output until the end marker. */
function collect(stream: ChildProcess['stdout']) {
  let text = ''
  let end = (): void => undefined
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const listen = (chunk: string): void => {
    text += chunk
    if (!text.endsWith(END_MARKER)) return
    text = text.slice(0, -END_MARKER.length)
    end()
  }
  stream?.setEncoding('utf8').on('data', listen)

  return { ended, text: () => text, stop: () => stream?.off('data', listen) }
}
