import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const readme = await readFile('README.md', 'utf8')
const examples = (await readdir('src/testing/guide/examples')).filter((file) => file !== 'app.ts')

describe('the README', () => {
  test.each(examples)('shows the example %s', async (file) => {
    const example = await readFile(`src/testing/guide/examples/${file}`, 'utf8')

    expect([...blocks('ts'), ...blocks('js')]).toContain(example)
  })

  describe('shows a session whose output is the real one:', () => {
    const server = spawn(process.execPath, ['bin/pet-sandbox.js', '--port', '0', '--log', 'json'])
    let origin = ''

    beforeAll(async () => {
      for await (const line of createInterface({ input: server.stdout })) {
        origin = new URL(JSON.parse(line).listening).origin
        break
      }
    })
    afterAll(() => server.kill())

    test.each(session())('$command', async ({ command, output }) => {
      const here = command.replaceAll('http://127.0.0.1:4010', origin)

      const printed = await curl(here)

      expect(timeless(printed.replaceAll(origin, 'http://127.0.0.1:4010'))).toBe(timeless(output))
    })
  })
})

/** The commands of the README's console session, each with what it prints there. */
function session(): { command: string; output: string }[] {
  return blocks('console').flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((step) => ({
        command: step.slice(0, step.indexOf('\n')),
        output: step.slice(step.indexOf('\n') + 1),
      })),
  )
}

function blocks(language: string): string[] {
  const fence = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms')
  return [...readme.matchAll(fence)].map(([, block = '']) => block)
}

/** What curl prints for one of the README's lines, on a machine that need not have curl. */
async function curl(command: string): Promise<string> {
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, bare]) => quoted ?? bare ?? '',
  )
  const after = (flag: string): string[] =>
    words.flatMap((word, at) => (words[at - 1] === flag ? [word] : []))
  const [data] = after('-d')
  const headers = Object.fromEntries(after('-H').map((header) => header.split(': ')))
  const url = words.find((word) => word.startsWith('http://')) ?? ''

  const sent = request(url, { method: data ? 'POST' : 'GET', headers, agent: false }).end(data)
  const [response]: IncomingMessage[] = await once(sent, 'response')
  if (!response) throw new Error(`no response to ${command}`)
  const body = await text(response)

  return words.includes('-i') ? `${head(response)}\n\n${body}` : body
}

function head({ httpVersion, statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = rawHeaders.flatMap((name, at) =>
    at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1]}`] : [],
  )
  return [`HTTP/${httpVersion} ${statusCode} ${statusMessage}`, ...lines].join('\n')
}

/** What depends on when a command runs is left out of the comparison. */
function timeless(printed: string): string {
  return printed
    .replace(
      /^(Date|X-RateLimit-Reset|Retry-After|Content-Length|Connection|Keep-Alive): .*$\n/gm,
      '',
    )
    .replace(/Retry in \d+ seconds?/g, 'Retry in … seconds')
    .trim()
}
