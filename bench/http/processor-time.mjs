/** Part of every server: tells the process that started it how much processor time it has used, and ends with it. */
process.on('message', (message) => {
  if (message === 'processor time') process.send(process.cpuUsage());
});
process.once('disconnect', () => process.exit());
