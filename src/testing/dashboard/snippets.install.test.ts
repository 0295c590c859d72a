import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { stopServers } from '../servers.ts'
import { useTemporaryDirectory } from '../temporary-directory.ts'
import { describeSnippets } from './snippet-requests.ts'

const execute = promisify(execFile)
const folder = useTemporaryDirectory()
let packages = ''

beforeAll(async () => {
  packages = await mkdtemp(join(tmpdir(), 'pet-sandbox-python-'))
  const isInstalled = await execute('python3', ['-c', 'import requests']).then(
    () => true,
    () => false,
  )
  if (isInstalled) return
  await execute('python3', ['-m', 'pip', 'install', '--quiet', '--target', packages, 'requests'])
})
afterAll(() => rm(packages, { recursive: true }))
afterEach(stopServers)

describeSnippets({
  language: 'Python',
  folder,
  run: async (text) => {
    await writeFile(join(folder(), 'snippet.py'), text)
    const env = { ...process.env, PYTHONPATH: packages, NO_PROXY: '*' }
    await execute('python3', ['snippet.py'], { cwd: folder(), env })
  },
})

describeSnippets({
  language: 'Go',
  folder,
  run: async (text) => {
    await writeFile(join(folder(), 'snippet.go'), text)
    await execute('go', ['run', 'snippet.go'], { cwd: folder() })
  },
})
