import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { describeSnippets, writePrograms } from '../../testing/dashboard/snippet-requests.ts'
import { snippetOf } from './snippets.ts'

const execute = promisify(execFile)

describeSnippets({
  language: 'curl',
  run: (texts, folder) => execute('sh', ['-ec', texts.join('\n')], { cwd: folder }),
})

for (const language of ['fetch', 'axios'] as const) {
  describeSnippets({ language, run: runModules })
}

async function runModules(texts: readonly string[], folder: string): Promise<void> {
  // Packages are found from here.
  const axios = import.meta.resolve('axios')
  const modules = texts.map((text) => text.replaceAll("from 'axios'", `from '${axios}'`))
  const files = await writePrograms(modules, folder, '.mjs')
  const imports = files.map((file) => `await import(${JSON.stringify(file)})`)
  await execute(process.execPath, ['--input-type=module', '-e', imports.join('\n')], {
    cwd: folder,
  })
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
