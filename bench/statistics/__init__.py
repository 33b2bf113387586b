"""What driver and analysis alike compute from samples: functions of plain arrays, without clock, disk or process."""
