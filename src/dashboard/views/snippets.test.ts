import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import { describeSnippets } from '../../testing/dashboard/snippet-requests.ts'
import { stopServers } from '../../testing/servers.ts'
import { useTemporaryDirectory } from '../../testing/temporary-directory.ts'
import { snippetOf } from './snippets.ts'

const folder = useTemporaryDirectory()
afterEach(stopServers)
const execute = promisify(execFile)

describeSnippets({
  language: 'curl',
  folder,
  run: (text) => execute('sh', ['-c', text], { cwd: folder() }),
})

for (const language of ['fetch', 'axios'] as const) {
  describeSnippets({ language, folder, run: runModule })
}

async function runModule(text: string): Promise<void> {
  const file = join(folder(), 'snippet.mjs')
  // Packages are found from here.
  const found = text.replaceAll("from 'axios'", `from '${import.meta.resolve('axios')}'`)
  await writeFile(file, `globalThis.wasRun = false; ${found}`)
  await execute(process.execPath, [file], { cwd: folder() })
}

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
