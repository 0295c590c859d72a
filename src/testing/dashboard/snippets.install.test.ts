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

/** Whether a language is installed. Without it, its programs are left out; with `CI` set, they fail. */
async function has(...[command, ...args]: readonly [string, ...string[]]): Promise<boolean> {
  const isInstalled = await execute(command, args).then(
    () => true,
    () => false,
  )
  const isRequired = Boolean(process.env.CI)
  if (!isInstalled && !isRequired) console.warn(`*** TESTS SKIPPED: there is no ${command}. ***`)
  return isInstalled || isRequired
}

const [hasPython, hasGo] = await Promise.all([has('python3', '--version'), has('go', 'version')])

beforeAll(async () => {
  packages = await mkdtemp(join(tmpdir(), 'pet-sandbox-python-'))
  const isInstalled = await execute('python3', ['-c', 'import requests']).then(
    () => true,
    () => false,
  )
  if (isInstalled || !hasPython) return
  await execute('python3', ['-m', 'pip', 'install', '--quiet', '--target', packages, 'requests'])
})
afterAll(() => rm(packages, { recursive: true }))
afterEach(stopServers)

if (hasPython) {
  describeSnippets({
    language: 'Python',
    folder,
    run: async (text) => {
      await writeFile(join(folder(), 'snippet.py'), text)
      const env = { ...process.env, PYTHONPATH: packages, NO_PROXY: '*' }
      await execute('python3', ['snippet.py'], { cwd: folder(), env })
    },
  })
}

if (hasGo) {
  describeSnippets({
    language: 'Go',
    folder,
    run: async (text) => {
      await writeFile(join(folder(), 'snippet.go'), text)
      await execute('go', ['run', 'snippet.go'], { cwd: folder() })
    },
  })
}
