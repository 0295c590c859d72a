import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiRequest, multipartType } from '../../dashboard/api-request.ts'
import { type Language, snippetOf } from '../../dashboard/views/snippets.ts'
import { serveHttp, stopServers } from '../servers.ts'

const HOSTILE = `it's \${globalThis.wasRun = true} $(id) \`id\` "q" \\ \u2028 é 😀 """ %s`

/** What a server received from a program. */
interface Received {
  readonly method: string
  readonly url: string
  readonly type: string
  readonly note: string
  readonly body: string
}

/** How the programs of a language are run: one after the other, in a folder. */
export interface SnippetRunner {
  readonly language: Language
  readonly run: (texts: readonly string[], folder: string) => Promise<unknown>
}

/** Writes programs into files with these endings, and returns their paths. */
export async function writePrograms(
  texts: readonly string[],
  folder: string,
  ending: string,
): Promise<readonly string[]> {
  const files = texts.map((_, at) => join(folder, `program-${at}`, `main${ending}`))
  for (const [at, file] of files.entries()) {
    await mkdir(dirname(file))
    await writeFile(file, texts[at] ?? '')
  }
  return files
}

/** Tests what the programs of snippets send. All programs of a language run together: to start a language takes most of the time. */
export function describeSnippets({ language, run }: SnippetRunner): void {
  const requests: ((origin: string) => ApiRequest)[] = []
  const received: Received[] = []
  let folder = ''

  /** Adds the program of a snippet. Returns a function that returns what the server received from it. */
  function programFor(requestTo: (origin: string) => ApiRequest): () => Received | undefined {
    const at = requests.push(requestTo) - 1
    return () => received[at]
  }

  async function serve(): Promise<string> {
    const { origin } = await serveHttp(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const { 'content-type': type = '', 'x-note': note = '' } = request.headers
      received.push({
        method: `${request.method}`,
        url: `${request.url}`,
        type,
        note: `${note}`,
        body: Buffer.concat(chunks).toString(),
      })
      response.end('ok')
    })
    return origin
  }

  describe(`the program in ${language}`, () => {
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
      await writeFile(join(folder, 'a.png'), 'abc')
      const origin = await serve()
      await run(
        requests.map((requestTo) => snippetOf(language, requestTo(origin))),
        folder,
      )
    })
    afterAll(async () => {
      await stopServers()
      await rm(folder, { recursive: true })
    })

    const value = { text: HOSTILE, list: [1, true, null, {}] }
    const withTexts = programFor((origin) => ({
      url: `${origin}/a%20b?x='y'`,
      method: 'PUT',
      headers: [
        ['X-Note', `it's "$(id)" \${1}`],
        ['Content-Type', 'application/json'],
      ],
      body: JSON.stringify(value, null, 2),
    }))
    test('sends a JSON request, whose texts are no code', () => {
      const sent = withTexts()

      expect(sent).toMatchObject({
        method: 'PUT',
        url: expect.stringMatching(/^\/a%20b\?x=('y'|%27y%27)$/),
        type: 'application/json',
        note: `it's "$(id)" \${1}`,
      })
      expect(JSON.parse(sent?.body ?? '')).toEqual(value)
    })

    const file = new File(['abc'], 'a.png', { type: 'image/png' })
    const withParts = programFor((origin) => ({
      url: origin,
      method: 'POST',
      headers: [['Content-Type', multipartType('multipart/form-data')]],
      parts: [
        { name: 'note', text: `@/etc/passwd;type=x "${HOSTILE}"` },
        { name: 'meta', text: '{"a":1}', type: 'application/json' },
        { name: 'photo', file },
      ],
    }))
    const withFile = programFor((origin) => ({
      url: origin,
      method: 'POST',
      headers: [['Content-Type', 'image/png']],
      file,
    }))
    test('sends texts and files as parts, and a file as the body', () => {
      const parts = withParts()
      const whole = withFile()

      expect(parts?.type).toMatch(/^multipart\/form-data; boundary=/)
      expect(parts?.body).toContain(`\r\n\r\n@/etc/passwd;type=x "${HOSTILE}"\r\n`)
      expect(parts?.body).toMatch(/name="meta"[\s\S]*application\/json\r\n\r\n\{"a":1\}/)
      expect(parts?.body).toMatch(
        /name="photo"; filename="a.png"\r\nContent-Type: image\/png\r\n\r\nabc\r\n/,
      )
      expect(whole).toMatchObject({ type: 'image/png', body: 'abc' })
    })

    const withLists = programFor((origin) => ({
      url: `${origin}/pets?status=open&status=sold&ids=1%2C2&filter%5Ba%5D=%C3%A9%20%26`,
      method: 'GET',
      headers: [['Authorization', 'Bearer sk_1']],
    }))
    const withForm = programFor((origin) => ({
      url: `${origin}/tokens`,
      method: 'POST',
      headers: [['Content-Type', 'application/x-www-form-urlencoded']],
      body: 'a=1&b=%C3%A9+%26&b=%25',
    }))
    test('sends a GET with lists in its query, and a form', () => {
      const list = withLists()
      const form = withForm()

      expect(list).toMatchObject({ method: 'GET', body: '' })
      expect(list?.url).toBe('/pets?status=open&status=sold&ids=1%2C2&filter%5Ba%5D=%C3%A9%20%26')
      expect(form).toMatchObject({
        type: expect.stringMatching(/^application\/x-www-form-urlencoded/),
        body: 'a=1&b=%C3%A9+%26&b=%25',
      })
    })

    for (const body of ['0', 'false', '""', '[]', 'null', '{"id":12345678901234567890}']) {
      const withJson = programFor((origin) => ({
        url: origin,
        method: 'PATCH',
        headers: [['Content-Type', 'application/merge-patch+json']],
        body,
      }))
      test(`sends the JSON body ${body} as it is`, () => {
        expect(withJson()).toMatchObject({
          method: 'PATCH',
          type: 'application/merge-patch+json',
          body,
        })
      })
    }
  })
}
