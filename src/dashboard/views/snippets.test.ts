import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import { serveHttp, stopServers } from '../../testing/servers.ts'
import { useTemporaryDirectory } from '../../testing/temporary-directory.ts'
import { type ApiRequest, multipartType } from '../api-request.ts'
import { type Language, snippetOf } from './snippets.ts'

const HOSTILE = `it's \${globalThis.wasRun = true} $(id) \`id\` "q" \\ \u2028 é 😀 """ %s`

const folder = useTemporaryDirectory()
afterEach(stopServers)

interface Received {
  readonly method: string
  readonly url: string
  readonly type: string
  readonly note: string
  readonly body: string
}

/** Runs the program of a snippet, and returns what the server received. */
async function run(
  language: Language,
  requestTo: (origin: string) => ApiRequest,
): Promise<Received | undefined> {
  const received: Received[] = []
  const { origin } = await serveHttp(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { 'content-type': type = '', 'x-note': note = '' } = request.headers
    const body = Buffer.concat(chunks).toString()
    received.push({
      method: `${request.method}`,
      url: `${request.url}`,
      type,
      note: `${note}`,
      body,
    })
    response.end('ok')
  })
  const text = snippetOf(language, requestTo(origin))
  const file = join(folder(), 'snippet.mjs')
  await writeFile(file, text)
  // Packages are found from here.
  const code = `globalThis.wasRun = false; ${text.replaceAll("from 'axios'", `from '${import.meta.resolve('axios')}'`)}`
  await writeFile(file, code)
  const [program, args] =
    language === 'curl' ? (['sh', ['-c', text]] as const) : ([process.execPath, [file]] as const)
  await promisify(execFile)(program, args, { cwd: folder() })

  return received[0]
}

describe.each(['curl', 'fetch', 'axios'] as const)('the program in %s', (language) => {
  test('sends a JSON request, whose texts are no code', async () => {
    const value = { text: HOSTILE, list: [1, true, null, {}] }

    const received = await run(language, (origin) => ({
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
    const parts = await run(language, (origin) => ({
      url: origin,
      method: 'POST',
      headers: [['Content-Type', multipartType('multipart/form-data')]],
      parts: [
        { name: 'note', text: `@/etc/passwd;type=x "${HOSTILE}"` },
        { name: 'meta', text: '{"a":1}', type: 'application/json' },
        { name: 'photo', file },
      ],
    }))
    const whole = await run(language, (origin) => ({
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
})

test('the programs in Python and Go are as people write them', () => {
  const request = {
    url: 'http://localhost/a',
    method: 'POST',
    headers: [['Content-Type', 'application/json']],
    body: '{\n  "a": "`\\n",\n  "b": [true, null]\n}',
  } as const

  expect(snippetOf('Python', request)).toMatchInlineSnapshot(`
    "import requests

    response = requests.request(
        "POST",
        "http://localhost/a",
        headers={
            "Content-Type": "application/json",
        },
        json={
            "a": "\`\\n",
            "b": [
                True,
                None,
            ],
        },
    )
    print(response.status_code, response.text)"
  `)
  expect(snippetOf('Go', request)).toMatchInlineSnapshot(`
    "package main

    import (
    	"fmt"
    	"io"
    	"net/http"
    	"strings"
    )

    func main() {
    	body := strings.NewReader("{\\n  \\"a\\": \\"\`\\\\n\\",\\n  \\"b\\": [true, null]\\n}")
    	request, err := http.NewRequest("POST", "http://localhost/a", body)
    	if err != nil {
    		panic(err)
    	}
    	request.Header.Set("Content-Type", "application/json")
    	response, err := http.DefaultClient.Do(request)
    	if err != nil {
    		panic(err)
    	}
    	defer response.Body.Close()
    	text, _ := io.ReadAll(response.Body)
    	fmt.Println(response.StatusCode, string(text))
    }"
  `)
  expect(snippetOf('Go', { ...request, body: '{\n}' })).toContain('strings.NewReader(`{\n}`)')
})
