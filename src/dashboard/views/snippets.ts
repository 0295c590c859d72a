import { isJson } from '../../contract/json.ts'
import { type ApiRequest, type RequestPart, toCurl, withoutBoundary } from '../api-request.ts'

/** A language that snippets are written in. */
export type Language = 'curl' | 'fetch' | 'axios' | 'Python' | 'Go'

const WRITERS: Readonly<Record<Language, (request: ApiRequest) => string>> = {
  curl: toCurl,
  fetch: fetchSnippet,
  axios: axiosSnippet,
  Python: pythonSnippet,
  Go: goSnippet,
}

/** The program that sends a request. No text of the request is code in it. */
export function snippetOf(language: Language, request: ApiRequest): string {
  return WRITERS[language](request)
}

/** A text as a literal of JavaScript and of Python. */
function literal(text: string): string {
  return JSON.stringify(text)
}

/** JavaScript would alter a number of so many digits. */
const LONG_NUMBER = /\d{16}/

/** The value of a JSON body that can be written as a literal; `undefined` for another one. Some libraries do not send a `false` or a `0`. */
function jsonOf({ headers, body = '' }: ApiRequest): object | undefined {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  if (!isJson(type) || LONG_NUMBER.test(body)) return undefined
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function indented(text: string, by: string): string {
  return text.replaceAll('\n', `\n${by}`)
}

function headerObject({ headers }: ApiRequest): string {
  const lines = headers.map(([name, value]) => `    ${literal(name)}: ${literal(value)},`)
  return ['{', ...lines, '  }'].join('\n')
}

/** The body as an expression of JavaScript, and the lines before it. */
function javaScriptBody(request: ApiRequest): {
  readonly lines: readonly string[]
  readonly expression?: string
} {
  const { parts, file, body } = request
  if (parts) {
    const appended = parts.map(({ name, text = '', file: own, type }) => {
      if (own) return `form.append(${literal(name)}, ${openFile(own)}, ${literal(own.name)})`
      const value = type
        ? `new Blob([${literal(text)}], { type: ${literal(type)} })`
        : literal(text)
      return `form.append(${literal(name)}, ${value})`
    })
    return { lines: ['const form = new FormData()', ...appended, ''], expression: 'form' }
  }
  if (file) return { lines: [], expression: openFile(file) }
  const json = jsonOf(request)
  if (json !== undefined) {
    return { lines: [], expression: indented(JSON.stringify(json, null, 2), '  ') }
  }
  return { lines: [], ...(body !== undefined && { expression: literal(body) }) }
}

/** Node's `openAsBlob` reads a file when it is sent. */
function openFile({ name, type }: File): string {
  const options = type === '' ? '' : `, { type: ${literal(type)} }`
  return `await openAsBlob(${literal(name)}${options})`
}

function fileImport({ parts = [], file }: ApiRequest): readonly string[] {
  const hasFile = file !== undefined || parts.some((part) => part.file)
  return hasFile ? ["import { openAsBlob } from 'node:fs'", ''] : []
}

function fetchSnippet(given: ApiRequest): string {
  const request = withoutBoundary(given)
  const { lines, expression } = javaScriptBody(request)
  const body = jsonOf(request) === undefined ? expression : `JSON.stringify(${expression})`

  return [
    ...fileImport(request),
    ...lines,
    `const response = await fetch(${literal(request.url)}, {`,
    `  method: ${literal(request.method)},`,
    ...(request.headers.length > 0 ? [`  headers: ${headerObject(request)},`] : []),
    ...(body === undefined ? [] : [`  body: ${body},`]),
    '})',
    'console.log(response.status, await response.text())',
  ].join('\n')
}

function axiosSnippet(given: ApiRequest): string {
  const request = withoutBoundary(given)
  const { lines, expression } = javaScriptBody(request)

  return [
    ...fileImport(request).slice(0, 1),
    "import axios from 'axios'",
    '',
    ...lines,
    'const response = await axios.request({',
    `  method: ${literal(request.method)},`,
    `  url: ${literal(request.url)},`,
    ...(request.headers.length > 0 ? [`  headers: ${headerObject(request)},`] : []),
    ...(expression === undefined ? [] : [`  data: ${expression},`]),
    '  validateStatus: () => true,',
    '})',
    'console.log(response.status, response.data)',
  ].join('\n')
}

/** A JSON value as a literal of Python. */
function pythonLiteral(value: unknown, indent = ''): string {
  const inner = `${indent}    `
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const isList = Array.isArray(value)
  const members = Object.entries(value).map(
    ([name, one]) => (isList ? '' : `${literal(name)}: `) + pythonLiteral(one, inner),
  )
  const [open, close] = isList ? '[]' : '{}'
  if (members.length === 0) return `${open}${close}`

  return `${open}\n${members.map((one) => `${inner}${one},\n`).join('')}${indent}${close}`
}

function pythonSnippet(given: ApiRequest): string {
  const request = withoutBoundary(given)
  const { parts, file, body } = request
  const json = jsonOf(request)
  const headers = Object.fromEntries(request.headers)
  const files = parts?.map(
    (part) => `        (${literal(part.name)}, (${pythonPart(part).join(', ')})),\n`,
  )

  return [
    'import requests',
    '',
    'response = requests.request(',
    `    ${literal(request.method)},`,
    `    ${literal(request.url)},`,
    ...(request.headers.length > 0 ? [`    headers=${pythonLiteral(headers, '    ')},`] : []),
    ...(files ? [`    files=[\n${files.join('')}    ],`] : []),
    ...(file ? [`    data=open(${literal(file.name)}, "rb"),`] : []),
    ...(json === undefined ? [] : [`    json=${pythonLiteral(json, '    ')},`]),
    ...(json === undefined && body !== undefined ? [`    data=${literal(body)}.encode(),`] : []),
    ')',
    'print(response.status_code, response.text)',
  ].join('\n')
}

/** Name, content and media type of a part, as `requests` takes them. */
function pythonPart({ text = '', file, type = file?.type }: RequestPart): readonly string[] {
  const content = file
    ? [literal(file.name), `open(${literal(file.name)}, "rb")`]
    : ['None', literal(text)]
  return [...content, ...(type ? [literal(type)] : [])]
}

/** A text as a literal of Go. */
function goLiteral(text: string): string {
  if (/^[^`\r\0\uFEFF]*$/.test(text) && text.includes('\n')) return `\`${text}\``
  return literal(text.replace(/\p{Surrogate}/gu, '\uFFFD'))
}

const FORM_TYPE = 'request.Header.Set("Content-Type", form.FormDataContentType())'

/** What a program in Go does before it makes the request, and the reader of the body. */
function goBody({ parts, file, body }: ApiRequest): {
  readonly packages: readonly string[]
  readonly lines: readonly string[]
  readonly reader: string
} {
  if (parts) {
    const hasFile = parts.some((part) => part.file)
    return {
      packages: ['bytes', 'mime/multipart', 'net/textproto', ...(hasFile ? ['os'] : [])],
      lines: [
        'var body bytes.Buffer',
        'form := multipart.NewWriter(&body)',
        ...parts.flatMap(goPart),
        'form.Close()',
      ],
      reader: '&body',
    }
  }
  if (file) {
    const lines = [`file, _ := os.Open(${goLiteral(file.name)})`]
    return { packages: ['os'], lines, reader: 'file' }
  }
  if (body === undefined) return { packages: [], lines: [], reader: 'nil' }
  const lines = [`body := strings.NewReader(${goLiteral(body)})`]
  return { packages: ['strings'], lines, reader: 'body' }
}

function goSnippet(given: ApiRequest): string {
  const request = withoutBoundary(given)
  const { packages, lines: before, reader } = goBody(request)
  const imports = ['fmt', 'io', 'net/http', ...packages].sort()
  const headers = request.headers.map(
    ([name, value]) => `request.Header.Set(${goLiteral(name)}, ${goLiteral(value)})`,
  )
  const lines = [
    ...before,
    `request, err := http.NewRequest(${goLiteral(request.method)}, ${goLiteral(request.url)}, ${reader})`,
    'if err != nil {\n\t\tpanic(err)\n\t}',
    ...headers,
    ...(request.parts ? [FORM_TYPE] : []),
    'response, err := http.DefaultClient.Do(request)',
    'if err != nil {\n\t\tpanic(err)\n\t}',
    'defer response.Body.Close()',
    'text, _ := io.ReadAll(response.Body)',
    'fmt.Println(response.StatusCode, string(text))',
  ]

  return [
    'package main',
    '',
    'import (',
    ...imports.map((one) => `\t"${one}"`),
    ')',
    '',
    'func main() {',
    ...lines.map((line) => `\t${line}`),
    '}',
  ].join('\n')
}

function goPart({ name, text = '', file, type = file?.type }: RequestPart): readonly string[] {
  const named = `name=${JSON.stringify(name)}${file ? `; filename=${JSON.stringify(file.name)}` : ''}`
  const header = [
    `"Content-Disposition": {${goLiteral(`form-data; ${named}`)}}`,
    ...(type ? [`"Content-Type": {${goLiteral(type)}}`] : []),
  ]
  const content = file
    ? [`data, _ := os.ReadFile(${goLiteral(file.name)})`, 'part.Write(data)']
    : [`io.WriteString(part, ${goLiteral(text)})`]

  return [
    '{',
    `\tpart, _ := form.CreatePart(textproto.MIMEHeader{${header.join(', ')}})`,
    ...content.map((line) => `\t${line}`),
    '}',
  ]
}
