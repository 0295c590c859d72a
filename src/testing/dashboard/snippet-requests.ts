import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ApiRequest, multipartType } from '../../dashboard/api-request.ts'
import { type Language, snippetOf } from '../../dashboard/views/snippets.ts'
import { serveHttp } from '../servers.ts'

const HOSTILE = `it's \${globalThis.wasRun = true} $(id) \`id\` "q" \\ \u2028 é 😀 """ %s`

/** What a server received from a program. */
interface Received {
  readonly method: string
  readonly url: string
  readonly type: string
  readonly note: string
  readonly body: string
}

/** How the programs of a language are run, in a folder of their own. */
export interface SnippetRunner {
  readonly language: Language
  readonly folder: () => string
  readonly run: (text: string) => Promise<unknown>
}

/** Tests what the programs of snippets send, by running them. */
export function describeSnippets({ language, folder, run: runText }: SnippetRunner): void {
  /** Runs the program of a snippet, and returns what the server received. */
  async function run(requestTo: (origin: string) => ApiRequest): Promise<Received | undefined> {
    const received: Received[] = []
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
    await runText(snippetOf(language, requestTo(origin)))

    return received[0]
  }

  describe(`the program in ${language}`, () => {
    test('sends a JSON request, whose texts are no code', async () => {
      const value = { text: HOSTILE, list: [1, true, null, {}] }

      const received = await run((origin) => ({
        url: `${origin}/a%20b?x='y'`,
        method: 'PUT',
        headers: [
          ['X-Note', `it's "$(id)" \${1}`],
          ['Content-Type', 'application/json'],
        ],
        body: JSON.stringify(value, null, 2),
      }))

      expect(received).toMatchObject({
        method: 'PUT',
        url: expect.stringMatching(/^\/a%20b\?x=('y'|%27y%27)$/),
        type: 'application/json',
        note: `it's "$(id)" \${1}`,
      })
      expect(JSON.parse(received?.body ?? '')).toEqual(value)
    })

    test('sends texts and files as parts, and a file as the body', async () => {
      const file = new File(['abc'], 'a.png', { type: 'image/png' })
      await writeFile(join(folder(), 'a.png'), 'abc')
      const parts = await run((origin) => ({
        url: origin,
        method: 'POST',
        headers: [['Content-Type', multipartType('multipart/form-data')]],
        parts: [
          { name: 'note', text: `@/etc/passwd;type=x "${HOSTILE}"` },
          { name: 'meta', text: '{"a":1}', type: 'application/json' },
          { name: 'photo', file },
        ],
      }))
      const whole = await run((origin) => ({
        url: origin,
        method: 'POST',
        headers: [['Content-Type', 'image/png']],
        file,
      }))

      expect(parts?.type).toMatch(/^multipart\/form-data; boundary=/)
      expect(parts?.body).toContain(`\r\n\r\n@/etc/passwd;type=x "${HOSTILE}"\r\n`)
      expect(parts?.body).toMatch(/name="meta"[\s\S]*application\/json\r\n\r\n\{"a":1\}/)
      expect(parts?.body).toMatch(
        /name="photo"; filename="a.png"\r\nContent-Type: image\/png\r\n\r\nabc\r\n/,
      )
      expect(whole).toMatchObject({ type: 'image/png', body: 'abc' })
    })

    test('sends a GET with lists in its query, and a form', async () => {
      const list = await run((origin) => ({
        url: `${origin}/pets?status=open&status=sold&ids=1%2C2&filter%5Ba%5D=%C3%A9%20%26`,
        method: 'GET',
        headers: [['Authorization', 'Bearer sk_1']],
      }))
      const form = await run((origin) => ({
        url: `${origin}/tokens`,
        method: 'POST',
        headers: [['Content-Type', 'application/x-www-form-urlencoded']],
        body: 'a=1&b=%C3%A9+%26&b=%25',
      }))

      expect(list).toMatchObject({ method: 'GET', body: '' })
      expect(list?.url).toBe('/pets?status=open&status=sold&ids=1%2C2&filter%5Ba%5D=%C3%A9%20%26')
      expect(form).toMatchObject({
        type: expect.stringMatching(/^application\/x-www-form-urlencoded/),
        body: 'a=1&b=%C3%A9+%26&b=%25',
      })
    })

    test.each(['0', 'false', '""', '[]', 'null', '{"id":12345678901234567890}'])(
      'sends the JSON body %s as it is',
      async (body) => {
        const received = await run((origin) => ({
          url: origin,
          method: 'PATCH',
          headers: [['Content-Type', 'application/merge-patch+json']],
          body,
        }))

        expect(received).toMatchObject({
          method: 'PATCH',
          type: 'application/merge-patch+json',
          body,
        })
      },
    )
  })
}
