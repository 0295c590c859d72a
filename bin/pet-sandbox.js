#!/usr/bin/env node
import module from 'node:module'

// Node keeps what it has compiled in its cache, if it has one (Node 22): later starts are faster. So the program is imported after this.
module.enableCompileCache?.()
const { run } = await import('../dist/cli.js')
await run(process.argv.slice(2))
// What handlers have started, such as an interval, does not keep the process alive. What is to be written still is.
setInterval(() => {
  if (process.stdout.writableLength + process.stderr.writableLength === 0) process.exit()
}, 1000).unref()
