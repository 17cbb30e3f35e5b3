/** Part of the measured server: answers each message with the delays of the event loop since the message before. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

const histogram = monitorEventLoopDelay({ resolution: 1 });
histogram.enable();
process.on('message', () => {
  const milliseconds = (nanoseconds) => nanoseconds / 1e6;
  process.send({
    samples: histogram.count,
    p50: milliseconds(histogram.percentile(50)),
    p99: milliseconds(histogram.percentile(99)),
    p999: milliseconds(histogram.percentile(99.9)),
    max: milliseconds(histogram.max),
  });
  histogram.reset();
});
process.once('disconnect', () => process.exit());
