import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { toCurl } from './curl.ts'

const URL_OF_BOOKS = 'http://127.0.0.1:4010/v1/books'
/** Prints the arguments and the input of a command, each in JSON. */
const PRINT = `const input = process.argv.includes('@-') ? require('fs').readFileSync(0, 'utf8') : undefined
console.log(JSON.stringify([process.argv.slice(1), input]))`

/** What the shell gives to `curl`. */
function runInShell(command: string): unknown {
  const script = `curl() { "$NODE" -e "$PRINT" -- "$@"; }\n${command}`
  const env = { NODE: process.execPath, PRINT, PATH: process.env.PATH }
  return JSON.parse(execFileSync('sh', ['-c', script], { env, encoding: 'utf8' }))
}

describe('a request as a command', () => {
  test.each(['it\'s $HOME `id` $(id) \\ "x" !!', '@/etc/passwd', '-ofile', 'two\nlines\n'])(
    'has the body and the header %j as words that the shell does not interpret',
    (text) => {
      const value = text.replaceAll('\n', ' ')
      const command = toCurl({
        url: URL_OF_BOOKS,
        method: 'PUT',
        headers: [['X-Text', value]],
        body: text,
      })

      expect(runInShell(command)).toEqual([
        ['-i', '-X', 'PUT', URL_OF_BOOKS, '-H', `X-Text: ${value}`, '--data-raw', text],
        null,
      ])
    },
  )

  test.each(['a\u0003\nid\n', '\u001b[201~\nid\n', "-\r\t\u009b \u0000 100% \\n 'x' !!\n"])(
    'has no character of the body %j that a terminal obeys',
    (body) => {
      const headers = [['X-Text', 'a\t!b']] as const
      const command = toCurl({ url: URL_OF_BOOKS, method: 'POST', headers, body })

      expect(command).not.toMatch(/[^\P{Control}\n]/u)
      expect(command.split('\n')).toHaveLength(3)
      expect(runInShell(command)).toEqual([
        ['-i', '-X', 'POST', URL_OF_BOOKS, '-H', 'X-Text: a\t!b', '--data-binary', '@-'],
        body,
      ])
    },
  )

  test('keeps a path that clients alter, and a header without a value', () => {
    const url = `${URL_OF_BOOKS}/../x`

    expect(toCurl({ url, method: 'GET', headers: [['X-Empty', '']] })).toBe(
      `curl -i --path-as-is ${url} \\\n  -H 'X-Empty;'`,
    )
  })
})
