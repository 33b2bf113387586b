@echo off
rem The launcher for Windows: the same as ./lab elsewhere.
py -3 "%~dp0lab" %*
exit /b %ERRORLEVEL%
