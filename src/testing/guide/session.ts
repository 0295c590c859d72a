import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { runCommand, type StartedCommand, startCommand } from '../command.ts'
import { EXAMPLES } from './example-code.ts'
import { commandsIn } from './shell.ts'

/** The address that pages show. */
const SHOWN_ORIGIN = 'http://127.0.0.1:4010'

/** Where the documents of the examples are, on the pages. */
const SHOWN_FILES = 'https://api.example.com'

/** The exit code of a command that a page must not show. */
const WRONG_USAGE = 2

/** The sandbox's clock stands still here, so that outputs are the same each time. */
const NOW = '2027-03-01T12:00:15Z'

/**
 * The terminal of a page: it runs the commands of its `console` blocks one after another, with one sandbox, and shows their
 * output.
 */
export class Session {
  #sandbox: StartedCommand | undefined
  #files: Server | undefined
  readonly #env: Record<string, string> = {}

  /** A block with the real output of its commands. What is shown stays where `…` stands for the rest. */
  async render(block: string): Promise<string> {
    const steps = block.split(/^\$ /m).slice(1)
    let rendered = ''
    for (const [at, step] of steps.entries()) {
      const end = step.indexOf('\n')
      const [command, shown] = [step.slice(0, end), step.slice(end + 1).trimEnd()]
      const output = (await this.#run(command)).trimEnd()
      const kept = fits(shown, output) ? shown : output
      const gap = kept === '' || at === steps.length - 1 ? '' : '\n'
      rendered += `$ ${command}\n${kept === '' ? '' : `${kept}\n`}${gap}`
    }
    return rendered
  }

  /** Stops the sandbox. */
  async end(): Promise<void> {
    await this.#sandbox?.stop()
    this.#files?.close()
  }

  async #run(command: string): Promise<string> {
    const [words = [], filter] = commandsIn(command)
    if (words[0] === 'export') {
      const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(words[1] ?? '') ?? []
      this.#env[name] = value
      return ''
    }
    if (words[0] === 'npx' && isStart(words)) return this.#start(words.slice(2))
    const sandbox = await this.#running()
    const origin = new URL(sandbox.base).origin
    const here = (word: string): string =>
      word
        .replace(/^\$(\w+)$/, (reference, name: string) => this.#env[name] ?? reference)
        .replaceAll(SHOWN_ORIGIN, origin)
    const loop = /^for \w+ in \$\(seq (\d+)\); do (.*); done$/.exec(command)
    const printed = loop
      ? await repeat(Number(loop[1]), () => curl((commandsIn(loop[2] ?? '')[0] ?? []).map(here)))
      : await this.#runOnce(words.map(here), origin)

    return head(printed, filter).replaceAll(origin, SHOWN_ORIGIN)
  }

  async #runOnce(words: readonly string[], origin: string): Promise<string> {
    if (words[0] === 'curl') return curl(words)
    if (words[0] !== 'npx' || words[1] !== 'pet-sandbox')
      throw new Error(`Cannot run ${words.join(' ')}`)
    const env = { PET_SANDBOX_URL: origin, ...this.#env }
    const { stdout, stderr, code } = await runCommand(words.slice(2), { env, cwd: EXAMPLES })
    if (code === WRONG_USAGE) throw new Error(`${words.join(' ')}: ${stderr}`)
    return stdout + stderr
  }

  /** Serves the examples over HTTP, and returns the origin. */
  async #serveFiles(): Promise<string> {
    this.#files ??= createServer(({ url = '' }, response) => {
      createReadStream(join(EXAMPLES, basename(url))).pipe(response)
    }).listen(0, '127.0.0.1')
    if (!this.#files.listening) await once(this.#files, 'listening')
    const address = this.#files.address()
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  }

  async #running(): Promise<StartedCommand> {
    if (!this.#sandbox) await this.#start([])
    if (!this.#sandbox) throw new Error('The sandbox did not start')
    return this.#sandbox
  }

  async #start(args: readonly string[]): Promise<string> {
    await this.#sandbox?.stop()
    const files = args.some((arg) => arg.startsWith(SHOWN_FILES)) ? await this.#serveFiles() : ''
    const real = args.map((arg) => arg.replace(SHOWN_FILES, files))
    const sandbox = await startCommand(real, { cwd: EXAMPLES })
    this.#sandbox = sandbox
    const { origin } = new URL(sandbox.base)
    await fetch(`${origin}/__sandbox/clock`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ set: NOW }),
    })
    return sandbox.output().trim().replaceAll(origin, SHOWN_ORIGIN)
  }
}

/** `npx pet-sandbox`, with or without a document and options. */
function isStart([, program, first = '--']: readonly string[]): boolean {
  return program === 'pet-sandbox' && (first.startsWith('--') || first.endsWith('.yaml'))
}

/** The first lines of an output, where it goes through `head -12`. */
function head(output: string, filter: readonly string[] | undefined): string {
  if (filter?.[0] !== 'head') return output
  const lines = Number(filter[1]?.replace('-', ''))
  return output.split('\n').slice(0, lines).join('\n')
}

function fits(shown: string, output: string): boolean {
  const pattern = shown
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[\\s\\S]*')
  return new RegExp(`^${pattern}$`).test(output)
}

/** Milliseconds that a program such as curl takes to start, at least. */
const PROGRAM_START = 15

async function repeat(times: number, run: () => Promise<string>): Promise<string> {
  let output = ''
  for (let time = 0; time < times; time += 1) {
    await sleep(PROGRAM_START)
    output += await run()
  }
  return output
}

/** What curl prints, on a machine that need not have curl. */
async function curl(words: readonly string[]): Promise<string> {
  const after = (flag: string): string[] =>
    words.flatMap((word, at) => (words[at - 1] === flag ? [word] : []))
  const [data] = after('-d')
  const [method = data === undefined ? 'GET' : 'POST'] = after('-X')
  const headers = Object.fromEntries(after('-H').map((header) => header.split(': ')))
  const url = words.find((word) => word.startsWith('http://')) ?? ''

  const sent = request(url, { method, headers, agent: false }).end(data)
  const [response]: IncomingMessage[] = await once(sent, 'response')
  if (!response) throw new Error(`no response to ${words.join(' ')}`)
  const body = await text(response)
  const [format] = after('-w')
  if (format !== undefined) return format.replace('%{http_code}', String(response.statusCode))

  return words.includes('-i') ? `${headOf(response)}\n\n${body}` : body
}

function headOf({ httpVersion, statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = rawHeaders.flatMap((name, at) =>
    at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1]}`] : [],
  )
  return [`HTTP/${httpVersion} ${statusCode} ${statusMessage}`, ...lines].join('\n')
}
