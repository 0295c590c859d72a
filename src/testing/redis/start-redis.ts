import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '../free-port.ts'
import { findRedis, HOW_TO_INSTALL_REDIS } from './find-redis.ts'

/** How to start a Redis server. */
export interface RedisOptions {
  /** Whether each write is on the disk before it is acknowledged, so that it survives `kill()`. Default: `false`. */
  readonly appendOnly?: boolean
  /** Such as `8mb`. Writes fail beyond it. Default: unlimited. */
  readonly maxmemory?: string
  readonly password?: string
  /** Makes it a sentinel, which lets a replica take over when this server is away. */
  readonly monitors?: { readonly name: string; readonly port: number }
  /** Further settings of redis.conf. */
  readonly settings?: Readonly<Record<string, string>>
}

/** A Redis server in a process of its own, with a temporary folder. */
export interface StartedRedis {
  /** Such as `redis://127.0.0.1:20001`. */
  readonly address: string
  readonly port: number
  /** Stops the process: connections stay open, and nothing is answered. */
  readonly pause: () => void
  readonly resume: () => void
  /** Ends the process without notice, and resolves when it has ended. */
  readonly kill: () => Promise<void>
  /** Starts it again after `kill()`, with the same port and folder. */
  readonly restart: () => Promise<void>
  /** Ends the process and removes the folder. */
  readonly stop: () => Promise<void>
}

const running = new Set<StartedRedis>()
const processes = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of processes) child.kill('SIGKILL')
})

/** Stops the servers that a test has left running. */
export async function stopRedis(): Promise<void> {
  await Promise.all([...running].map(({ stop }) => stop()))
}

/** Starts a Redis server on a free port, and resolves when it accepts connections. */
export async function startRedis(options: RedisOptions = {}): Promise<StartedRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'pet-sandbox-redis-'))
  const port = await findFreePort()
  const args = options.monitors
    ? [await writeSentinelFile(options.monitors, folder, port), '--sentinel']
    : settingsOf(options, folder, port)
  let child = await launch(args)
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  const redis: StartedRedis = {
    address: addressOf(port, options.password),
    port,
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    kill,
    restart: async () => {
      child = await launch(args)
    },
    stop: async () => {
      running.delete(redis)
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
  running.add(redis)

  return redis
}

function addressOf(port: number, password: string | undefined): string {
  const credentials = password === undefined ? '' : `:${encodeURIComponent(password)}@`
  return `redis://${credentials}127.0.0.1:${port}`
}

function settingsOf(options: RedisOptions, folder: string, port: number): string[] {
  const settings: Record<string, string> = {
    port: String(port),
    bind: '127.0.0.1',
    dir: folder,
    save: '',
    appendonly: options.appendOnly ? 'yes' : 'no',
    appendfsync: 'always',
    'maxmemory-policy': 'noeviction',
    ...(options.maxmemory !== undefined && { maxmemory: options.maxmemory }),
    ...(options.password !== undefined && { requirepass: options.password }),
    ...options.settings,
  }
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
}

/** A sentinel needs a file, which it writes, too. */
async function writeSentinelFile(
  { name, port: monitored }: NonNullable<RedisOptions['monitors']>,
  folder: string,
  port: number,
): Promise<string> {
  const file = join(folder, 'sentinel.conf')
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    `sentinel monitor ${name} 127.0.0.1 ${monitored} 1`,
    // A failover begins after this many milliseconds (default: 30,000), and must not begin because the machine is busy.
    `sentinel down-after-milliseconds ${name} 3000`,
    // Another attempt begins after twice this time. Default: three minutes.
    `sentinel failover-timeout ${name} 3000`,
  ]
  await writeFile(file, `${lines.join('\n')}\n`)

  return file
}

/** What a server writes when it serves, and a sentinel when it knows its master. */
const IS_READY = /eady to accept connections|\+monitor /

async function launch(args: readonly string[]): Promise<ChildProcess> {
  const program = findRedis()
  if (program === undefined)
    throw new Error(`Cannot start Redis: there is no redis-server. ${HOW_TO_INSTALL_REDIS}`)
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  processes.add(child)
  child.once('exit', () => processes.delete(child))
  let output = ''
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`Cannot start Redis: it ended.\n${output}`)))
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (IS_READY.test(output)) return
      output += text
      if (IS_READY.test(output)) resolve()
    })
  })
  return child
}
